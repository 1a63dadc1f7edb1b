import Foundation
import JSONServerValues
import TestSupport
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
    open.close()
  }

  @Test func `Extended attributes are kept`() throws {
    let key = FileAttributeKey("NSFileExtendedAttributes")
    let attribute = ["user.note": Data("kept".utf8)]
    try FileManager.default.setAttributes([key: attribute], ofItemAtPath: directory.path("db.json"))
    #expect((try attributes()[key] as? [String: Data])?["user.note"] == Data("kept".utf8))
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "published")
    #expect((try attributes()[key] as? [String: Data])?["user.note"] == Data("kept".utf8))
    open.close()
  }

  @Test(arguments: [(0o664, 0o644), (0o606, 0o600), (0o660, 0o600), (0o646, 0o644)])
  func `An owner that cannot be kept does not widen access`(_ before: Int, _ after: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: directory.path("db.json"))
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "fchown" { throw SystemError(call, EPERM) }
    }
    #expect(try open.publish("[1]").summary == "published")
    #expect(try attributes()[.posixPermissions] as? Int == after)
    open.close()
  }

  /// Lets a user who is not the owner read and write the file, or each file that will be made in the directory.
  private func extendAccessList(ofNewFiles: Bool = false) throws {
    #if os(Linux)
      // Version 2, then tag, permissions and identifier of each entry: owner, user 1234, group, mask, others.
      let none: [UInt8] = [255, 255, 255, 255]
      let entries: [[UInt8]] = [
        [1, 0, 6, 0], none, [2, 0, 6, 0], [210, 4, 0, 0], [4, 0, 4, 0], none, [16, 0, 6, 0], none, [32, 0, 0, 0], none,
      ]
      let name = ofNewFiles ? "system.posix_acl_default" : "system.posix_acl_access"
      try FileManager.default.setAttributes(
        [FileAttributeKey("NSFileExtendedAttributes"): [name: Data([2, 0, 0, 0] + entries.joined())]],
        ofItemAtPath: ofNewFiles ? directory.path : directory.path("db.json"))
    #else
      try directory.shell("chmod +a 'everyone allow read,write\(ofNewFiles ? ",file_inherit' ." : "' db.json")")
    #endif
  }

  /// The access control list; empty when there is none.
  private func accessList() throws -> String {
    #if os(Linux)
      let extended = try attributes()[FileAttributeKey("NSFileExtendedAttributes")] as? [String: Data]
      return extended?["system.posix_acl_access"].map { "\(Array($0))" } ?? ""
    #else
      // A file with extended attributes has an "@" in place of the "+" that would show it.
      try directory.shell("ls -le db.json | sed 1d > listing")
      return directory.text("listing") ?? ""
    #endif
  }

  @Test func `An access control list is kept, but not with another group`() throws {
    try extendAccessList()
    try directory.shell("chmod 664 db.json")
    let list = try accessList()
    #expect(!list.isEmpty)
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    #expect(try open.publish("[1]").summary == "published")
    #expect(try accessList() == list)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "fchown" { throw SystemError(call, EPERM) }
    }
    #expect(try open.publish("[2]").summary == "published")
    open.close()
    #if os(Linux)
      #expect(try accessList().isEmpty)
      #expect(try attributes()[.posixPermissions] as? Int == 0o600)
    #else
      // It has no entry for the file's group.
      #expect(try accessList() == list)
    #endif
  }

  @Test func `A new file does not inherit an access control list that the file does not have`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: directory.path("db.json"))
    try extendAccessList(ofNewFiles: true)
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "published")
    #expect(try accessList().isEmpty)
    #expect(try attributes()[.posixPermissions] as? Int == 0o664)
    try directory.shell("rm db.json")
    #expect(try open.publish("[2]").summary == "published")
    open.close()
    #expect(try accessList().isEmpty)
  }

  @Test func `Where an access control list is not copied, only the owner gets access`() throws {
    try extendAccessList()
    try directory.shell("chmod 660 db.json")
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("[0]"), completion: saved.send)
    let path = try saved.next().get()
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    try directory.shell("rm db.json")
    #expect(try open.publish("[1]").summary == "published")
    #expect(try attributes()[.posixPermissions] as? Int == 0o600)
    open.close()
  }

  @Test func `A symbolic link stays one and its target gets the version`() throws {
    try directory.shell("mkdir real; mv db.json real; ln -s real/db.json db.json; ln -s db.json alias.json")
    let open = try OpenStore(directory.path("alias.json"))
    #expect(directory.names(in: "real") == [".db.json.lock", "db.json"])
    #expect(try open.publish("[1]").summary == "published")
    open.close()
    #expect(directory.text("real/db.json") == "[1]")
    #expect(try attributes()[.type] as? FileAttributeType == .typeSymbolicLink)
  }

  @Test func `Another name of the file keeps the old version, which is reported when it is opened`() throws {
    try directory.shell("ln db.json other.json")
    let open = try OpenStore(directory.path("db.json"))
    #expect(open.warnings == [.hardLinks(count: 2)])
    #expect(try open.publish("[1]").summary == "published")
    open.close()
    #expect(directory.text("other.json") == "[0]")
  }

  @Test func `A read-only file is not overwritten`() throws {
    try directory.shell("chmod 444 db.json")
    let open = try OpenStore(directory.path("db.json"))
    #expect(try open.publish("[1]").summary == "failed unavailable")
    open.close()
    #expect(directory.text() == "[0]")
  }
}
