import Foundation

/// Runs shell commands as a person would.
///
/// Foundation's Process does so, too, but on Linux it reads beyond a directory entry, for which the address sanitizer
/// ends the tests.
package enum Shell {
  /// Runs a command in a directory and waits for its end.
  ///
  /// - Returns: What it prints on standard output, and whether it succeeds.
  package static func run(_ command: String, in directory: String) -> (output: String, isSuccess: Bool) {
    keepDescriptors()
    guard let pipe = popen("cd '\(directory)' || exit; \(command)", "r") else { return ("", false) }
    var output: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { output.append(UInt8(byte)) }
    return (String(decoding: output, as: UTF8.self), pclose(pipe) == 0)
  }

  /// Keeps what other tests have open from the command: a socket stays bound as long as any process has it.
  private static func keepDescriptors() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
      if let descriptor = Int32(name), descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
  }
}
