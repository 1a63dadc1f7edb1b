import Testing

@testable import JSONStorage

struct FileLocationTests {
  @Test(arguments: [
    (".db.json.0123456789abcdef.tmp", true), (".db.json.0123456789abcde.tmp", false),
    (".db.json.0123456789abcdeg.tmp", false), (".db.json.tmp", false), ("db.json.0123456789abcdef.tmp", false),
    (".db.0123456789abcdef.tmp", false), (".db.json.json.0123456789abcdef.tmp", false),
  ])
  func `Only our own temporary names are taken for one`(_ name: String, _ isTemporary: Bool) {
    let location = FileLocation(directory: "/data", name: "db.json")
    #expect(location.isTemporary(name) == isTemporary)
    #expect(location.isTemporary(location.temporaryName()))
  }

  @Test(arguments: [("/a/b.json", "/a", "b.json"), ("/b.json", "/", "b.json"), ("b.json", ".", "b.json")])
  func `A path is split into directory and name`(_ path: String, _ directory: String, _ name: String) {
    let parts = FileLocation.split(path)
    #expect(parts.directory == directory && parts.name == name)
  }
}
