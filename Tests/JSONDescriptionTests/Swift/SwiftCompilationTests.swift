import JSONDescription
import TestSupport
import Testing

/// What the generator writes is given to the compiler and to the formatter; neither finds fault with it.
@Suite(.enabled(if: Toolchain.isPresent, "no swiftc and swift in PATH"), .serialized) struct SwiftCompilationTests {
  private static let data = [
    NastyData.text,
    NastyData.choices,
    NastyData.users,
    #"{"posts": [{"id": 1, "title": "a", "published_at": "2024-01-01T10:00:00Z"}], "profile": {"name": "typicode"}}"#,
    #"{"profile": {"name": "typicode"}}"#,
    #"{"posts": []}"#,
    "{}",
  ]

  /// What a module may be built with: what Xcode sets for new apps, and the upcoming features that change what source means.
  private static let modes = [
    "",
    "-swift-version 5 -default-isolation MainActor",
    "-default-isolation MainActor",
    "-default-isolation MainActor -enable-upcoming-feature NonisolatedNonsendingByDefault"
      + " -enable-upcoming-feature InferIsolatedConformances -enable-upcoming-feature MemberImportVisibility"
      + " -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny",
  ]

  @Test(arguments: data)
  func `Generated source compiles without a warning and is formatted`(_ data: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples(data).source, to: "Generated.swift")
    await Self.check("", in: directory)
  }

  @Test(arguments: modes, SwiftAccess.allCases)
  func `It compiles in every mode of the compiler, whoever sees it`(_ mode: String, _ access: SwiftAccess) async throws
  {
    let directory = try TemporaryDirectory()
    try directory.write(Samples(NastyData.users).source(access: access), to: "Generated.swift")
    await Self.check(mode, in: directory)
  }

  @Test func `All names compile where the main actor is the default, and in public`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples(NastyData.text).source(access: .public), to: "Generated.swift")
    await Self.check("-default-isolation MainActor", in: directory)
  }

  @Test func `Data may have every name that the client's source has`() async throws {
    let code = try Samples(NastyData.users).source.replacing(/\/\/.*/, with: "")
    let names = Set(code.matches(of: /[A-Za-z]\w+/).map(\.output)).subtracting(["users"]).sorted()
    let objects = names.map { #""\#($0)": {"\#($0)": {"at": "2024-01-01T10:00:00Z", "none": null}}"# }
    let users = #""users": [{"id": 1, "email": "ada@example.org", "password": "lovelace"}]"#
    let directory = try TemporaryDirectory()
    try directory.write(Samples("{\((objects + [users]).joined(separator: ","))}").source, to: "Generated.swift")
    // The formatter would complain of long names.
    await Self.compile("", in: directory)
  }

  private static func check(_ mode: String, in directory: TemporaryDirectory) async {
    await compile(mode, in: directory)
    let formatter = await Toolchain.run("swift format lint --strict Generated.swift", in: directory.path)
    #expect(formatter == "")
  }

  private static func compile(_ mode: String, in directory: TemporaryDirectory) async {
    let options = "-typecheck -swift-version 6 -warnings-as-errors -parse-as-library -package-name app"
    let compiler = await Toolchain.run("swiftc \(options) \(mode) Generated.swift", in: directory.path)
    #expect(compiler == "")
  }
}
