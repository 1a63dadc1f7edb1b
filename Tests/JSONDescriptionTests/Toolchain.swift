import Foundation

/// The Swift toolchain that stands in `PATH`, as it does where tests are run by `swift test`.
enum Toolchain {
  static var isPresent: Bool { url(of: "swiftc") != nil && url(of: "swift") != nil }

  /// Runs a tool and returns what it says, on either output.
  static func run(_ tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = url(of: tool)
    process.arguments = arguments
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
