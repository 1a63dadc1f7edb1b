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

  @Test func `Names that differ only in how a letter is composed are two names`() {
    let (composed, decomposed) = ("\u{e9}.json", "e\u{301}.json")
    #expect(composed == decomposed)
    let location = FileLocation(directory: "/data", name: composed)
    #expect(location != FileLocation(directory: "/data", name: decomposed))
    #expect(!location.isTemporary(FileLocation(directory: "/data", name: decomposed).temporaryName()))
  }

  @Test(arguments: [216, 217, 255]) func `The names beside a file with a long name fit`(_ count: Int) {
    for letter in ["a", "é", "👩‍👩‍👧‍👧"] {
      let start = String(repeating: letter, count: (count - 2) / letter.utf8.count)
      let name = start + String(repeating: "b", count: count - start.utf8.count - 1)
      let location = FileLocation(directory: "/", name: name + "1")
      let other = FileLocation(directory: "/", name: name + "2")
      #expect(location.name.utf8.count == count)
      #expect(location.conflictName(at: "0000-00-00T00-00-00.000Z~999").utf8.count <= 255)
      #expect(location.temporaryName().utf8.count <= 255)
      #expect(location.lockDirectoryName != other.lockDirectoryName)
      #expect(location.isTemporary(location.temporaryName()))
      #expect(!location.isTemporary(other.temporaryName()))
    }
  }

  @Test(arguments: [("/a/b.json", "/a", "b.json"), ("/b.json", "/", "b.json"), ("b.json", ".", "b.json")])
  func `A path is split into directory and name`(_ path: String, _ directory: String, _ name: String) {
    let parts = FileLocation.split(path)
    #expect(parts.directory == directory && parts.name == name)
  }
}
