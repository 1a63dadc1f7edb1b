import Foundation
import OrderedJSON
import Testing

@testable import JSONStorage

/// What a published file keeps of the one before it (G6).
struct MetadataTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("[0]")
  }

  private func attributes(_ name: String = "db.json") throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: directory.path(name))
  }

  @Test(arguments: [0o600, 0o640, 0o664, 0o755])
  func `The permissions are kept`(_ permissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: directory.path("db.json"))
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "published")
    #expect(try attributes()[.posixPermissions] as? Int == permissions)
    open.store.close()
  }

  @Test func `Extended attributes are kept`() throws {
    let key = FileAttributeKey("NSFileExtendedAttributes")
    let attribute = ["user.note": Data("kept".utf8)]
    try FileManager.default.setAttributes([key: attribute], ofItemAtPath: directory.path("db.json"))
    #expect((try attributes()[key] as? [String: Data])?["user.note"] == Data("kept".utf8))
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "published")
    #expect((try attributes()[key] as? [String: Data])?["user.note"] == Data("kept".utf8))
    open.store.close()
  }

  @Test func `An owner that cannot be kept does not widen access`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: directory.path("db.json"))
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "fchown" { throw SystemError(call, EPERM) }
    }
    #expect(try open.publish("[1]").summary == "published")
    #expect(try attributes()[.posixPermissions] as? Int == 0o644)
    open.store.close()
  }

  @Test func `A symbolic link stays one and its target gets the version`() throws {
    try directory.shell("mkdir real; mv db.json real; ln -s real/db.json db.json; ln -s db.json alias.json")
    let open = try OpenStore(directory.path("alias.json"))
    #expect(directory.names(in: "real") == [".db.json.lock", "db.json"])
    #expect(try open.publish("[1]").summary == "published")
    open.store.close()
    #expect(directory.text("real/db.json") == "[1]")
    #expect(try attributes()[.type] as? FileAttributeType == .typeSymbolicLink)
  }

  @Test func `Another name of the file keeps the old version, which is said when it is opened`() throws {
    try directory.shell("ln db.json other.json")
    let open = try OpenStore(directory.path("db.json"))
    #expect(open.warnings == [.hardLinks(count: 2)])
    #expect(try open.publish("[1]").summary == "published")
    open.store.close()
    #expect(directory.text("other.json") == "[0]")
  }

  @Test func `A read-only file is not overwritten`() throws {
    try directory.shell("chmod 444 db.json")
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "failed unavailable")
    open.store.close()
    #expect(directory.text() == "[0]")
  }
}
