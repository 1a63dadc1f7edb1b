import OrderedJSON
import Testing

@testable import JSONStorage

struct WatchingTests {
  @Test(arguments: [
    "printf '[1]' > db.json",
    "printf '[1]' > x && mv x db.json",
    "rm db.json; printf '[1]' > db.json",
    "sed -i 's/0/1/' db.json",
    "printf '[' > db.json; printf '1' >> db.json; printf ']' >> db.json",
    "cp db.json x; mv db.json y; mv x db.json; printf '[1]' > db.json",
  ])
  func `An edit is announced, twice in a row`(_ command: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"), watching: .notifications)
    try directory.shell(command)
    #expect(try open.edits.next().summary == "changed [1] 1")
    try directory.shell(command.replacing("0/1", with: "1/2").replacing("1]", with: "2]").replacing("'1'", with: "'2'"))
    #expect(try open.edits.next().summary == "changed [2] 2")
    open.store.close()
    #expect(open.edits.isEmpty)
  }
}
