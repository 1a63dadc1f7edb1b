import HTTPTypes
import JSONDatabase
import JSONServer
import JSONServerValues

/// Times the parts of the server without sockets and files, and prints one table.
///
/// Run it alone on a quiet machine: `JSON_SERVER_BENCHMARKS=1 swift run -c release Benchmarks`. The first argument is
/// the largest number of records, 1,000,000 unless said otherwise.
@main
struct Main {
  private static let ids = IDGenerator { "new" }

  static func main() async throws {
    let largest = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    var stopwatch = Stopwatch()
    try load(&stopwatch)
    try format(&stopwatch)
    try await respond(&stopwatch)
    for size in [1_000, 10_000, 100_000, 1_000_000] where size <= largest {
      var database = try Database(parsing: Sample.text(records: size), ids: ids)
      try read(&database, size, &stopwatch)
      try write(&database, size, &stopwatch)
    }
    print(stopwatch.table)
  }

  /// How fast bytes are processed.
  private static func rate(_ bytes: Int) -> (Duration) -> String {
    { "\(Stopwatch.text(Double(bytes) / ($0 / .nanoseconds(1)))) GB/s" }
  }

  private static func load(_ stopwatch: inout Stopwatch) throws {
    let text = Sample.text(records: 100_000)
    try stopwatch.time("load 100 MB", samples: 5, note: rate(text.count)) {
      _ = try Database(parsing: text, ids: ids)
    }
  }

  private static func format(_ stopwatch: inout Stopwatch) throws {
    let formatter = JSONFormatter(.pretty)
    var output: [UInt8] = []
    for (name, text) in [
      ("format one record", UTF8Slice(Sample.record(1))), ("format 10 MB", Sample.text(records: 10_000)),
    ] {
      let value = try ValidJSON(parsing: Array(text.bytes))
      let repetitions = 10_000_000 / text.count + 1
      stopwatch.time(name, repetitions: repetitions, note: rate(text.count)) {
        output.removeAll(keepingCapacity: true)
        formatter.append(value, to: &output)
      }
    }
  }

  /// A request from its head to its response, and what the way to the server's loop and back costs of that.
  private static func respond(_ stopwatch: inout Stopwatch) async throws {
    let configuration = Server.Configuration(
      source: .text(Array(Sample.text(records: 1_000).bytes), name: "sample.json"))
    let server = try await Server.load(configuration)
    guard let host = HTTPField.Name("Host") else { preconditionFailure("Host is a field's name") }
    for (name, method, target) in [
      ("there and back", HTTPRequest.Method.options, "/posts/1"), ("GET by id", .get, "/posts/500"),
    ] {
      let request = Request(method: method, target: target, headerFields: [host: "localhost"])
      await stopwatch.time(name, repetitions: 5_000) { _ = await server.respond(to: request) }
    }
    for number in 0..<1_000 { try await server.stub(Stub(.get("/stubs/\(number)/*"), .json(1))) }
    for number in 0..<1_000 { try await server.stub(Stub(.get("/stubs/\(number)"), .json(1))) }
    for number in 0..<1_000 {
      try await server.stub(Stub(.get("/posts/500?page=\(number)"), .json(1)))
    }
    let request = Request(method: .get, target: "/posts/500", headerFields: [host: "localhost"])
    await stopwatch.time("GET by id beside 3,000 stubs", repetitions: 5_000) {
      _ = await server.respond(to: request)
    }
    await server.stop()
  }

  private static func read(_ database: inout Database, _ size: Int, _ stopwatch: inout Stopwatch) throws {
    let text = Sample.text(records: size)
    var number = 0
    try stopwatch.time("record by id", size: size, repetitions: 1_000) {
      number = number % size + 7_919 % size
      _ = try database.record("\(number % size + 1)", in: "posts")
    }
    var query = Query()
    query.window = .page(size / 20, size: 10)
    try list("page", query, &database, size, &stopwatch)
    query.sort = [SortKey(FieldPath("views"), descending: true)]
    try list("sorted page", query, &database, size, &stopwatch)
    query = Query()
    query.criteria.parameters = [FilterParameter("authorId", ["37"])]
    query.window = .page(1, size: 10)
    try list("filtered page", query, &database, size, &stopwatch)
    query.criteria.parameters = [FilterParameter("views_gte", ["500000"]), FilterParameter("views_lt", ["500100"])]
    try list("page of an interval", query, &database, size, &stopwatch)
    query.criteria.parameters = [FilterParameter("views_gte", ["500000"])]
    try list("page of what a comparison halves", query, &database, size, &stopwatch)
    query.criteria.parameters.append(FilterParameter("authorId_lt", ["300"]))
    query.sort = [SortKey(FieldPath("title"))]
    try list("sorted page of two comparisons", query, &database, size, &stopwatch)
    query = Query()
    query.criteria.search = Sample.needle
    try list("q", query, &database, size, &stopwatch, note: rate(text.count))
    query = Query()
    query.criteria.parameters = [FilterParameter("body_like", [Sample.needle])]
    try list("_like", query, &database, size, &stopwatch, note: rate(text.count))
  }

  private static func list(
    _ name: String, _ query: Query, _ database: inout Database, _ size: Int, _ stopwatch: inout Stopwatch,
    note: (Duration) -> String = { _ in "" }
  ) throws {
    // What is built at first use is not a part of the steady state.
    _ = try database.list("posts", query)
    try stopwatch.time(name, size: size, repetitions: max(1, 10_000 / size), note: note) {
      _ = try database.list("posts", query)
    }
  }

  private static func write(_ database: inout Database, _ size: Int, _ stopwatch: inout Stopwatch) throws {
    var number = 0
    func replaceNext(_ database: inout Database) throws {
      number += 1
      let id = number * 7_919 % size + 1
      let body = try ValidJSON(parsing: Array(Sample.record(id, views: number).utf8))
      _ = try database.edit("\(id)", in: "posts", by: .replace(body))
    }
    try stopwatch.time("PUT in memory", size: size, repetitions: 200) { try replaceNext(&database) }
    try stopwatch.time("PUT while a reader holds the version before", size: size, repetitions: 200) {
      let text = database.text
      try replaceNext(&database)
      withExtendedLifetime(text) {}
    }
  }
}
