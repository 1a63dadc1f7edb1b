import TestSupport
import Testing

/// What the generator writes is given to the compiler and to the formatter; both find nothing to say.
@Suite(.enabled(if: Toolchain.isPresent, "no swiftc and swift in PATH")) struct SwiftCompilationTests {
  private static let data = [
    NastyData.text,
    NastyData.choices,
    #"{"posts": [{"id": 1, "title": "a", "published_at": "2024-01-01T10:00:00Z"}], "profile": {"name": "typicode"}}"#,
    #"{"profile": {"name": "typicode"}}"#,
    #"{"posts": []}"#,
    "{}",
  ]

  @Test(.serialized, arguments: data)
  func `Generated source compiles without a warning and is formatted`(_ data: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples(data).source, to: "Generated.swift")
    let options = "-typecheck -swift-version 6 -warnings-as-errors -parse-as-library"
    #expect(await Toolchain.run("swiftc \(options) Generated.swift", in: directory.path) == "")
    #expect(await Toolchain.run("swift format lint --strict Generated.swift", in: directory.path) == "")
  }
}
