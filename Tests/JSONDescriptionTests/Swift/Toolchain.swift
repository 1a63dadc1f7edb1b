import Dispatch
import Foundation
import TestSupport

/// The Swift toolchain that is in `PATH`, as it does where tests are run by `swift test`.
enum Toolchain {
  static var isPresent: Bool { url(of: "swiftc") != nil && url(of: "swift") != nil }

  /// Runs a shell command in a directory, which also takes what it leaves behind, and returns what it says, on either
  /// output.
  static func run(_ command: String, in directory: String) async -> String {
    await withCheckedContinuation { continuation in
      // The tests of the process share a thread for each core; to wait here for a compiler would hold up all of them.
      DispatchQueue(label: "compiler").async {
        let (output, _) = Shell.run("export TMPDIR='\(directory)'; exec 2>&1; \(command)", in: directory)
        continuation.resume(returning: output)
      }
    }
  }

  private static func url(of tool: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: "\($0)/\(tool)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
