import JSONServer

var configuration = Server.Configuration(source: .file("database.json"))
configuration.port = 3000
configuration.watching = .notifications
let server = try await Server.start(configuration)
print(server.addresses)
try await Task.sleep(for: .seconds(100000))
