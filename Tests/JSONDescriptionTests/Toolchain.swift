import Foundation

/// The Swift toolchain that stands in `PATH`, as it does where tests are run by `swift test`.
enum Toolchain {
  static var isPresent: Bool { url(of: "swiftc") != nil && url(of: "swift") != nil }

  /// Runs a tool in a directory, which also takes what it leaves behind, and returns what it says, on either output.
  static func run(_ tool: String, _ arguments: [String], in directory: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = url(of: tool)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: directory)
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": directory]) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  private static func url(of tool: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: "\($0)/\(tool)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
