import Foundation

/// Runs shell commands as a person would.
///
/// By `posix_spawn`: Foundation's Process reads beyond a directory entry on Linux, for which the address sanitizer ends
/// the tests, and Apple's systems keep `popen` from Swift.
package enum Shell {
  /// Runs a command in a directory and waits for its end.
  ///
  /// - Returns: What it prints on standard output, and whether it succeeds.
  package static func run(_ command: String, in directory: String) -> (output: String, isSuccess: Bool) {
    let pipe = Pipe()
    keepDescriptors()
    let reading = pipe.fileHandleForReading
    let writing = pipe.fileHandleForWriting
    let program = "cd '\(directory)' || exit; \(command)"
    guard let process = start(["/bin/sh", "-c", program], output: writing.fileDescriptor) else { return ("", false) }
    try? writing.close()
    let output = (try? reading.readToEnd()) ?? Data()
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (String(decoding: output, as: UTF8.self), status == 0)
  }

  /// Starts a program.
  ///
  /// - Parameter output: What becomes its standard output.
  /// - Returns: The number of the process; `nil` when it cannot be started.
  private static func start(_ arguments: [String], output: Int32) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 else { return nil }
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let strings = [arguments, environment].map { $0.map { strdup($0) } + [nil] }
    defer { for string in strings.joined() { free(string) } }
    var process: pid_t = 0
    return posix_spawn(&process, arguments[0], &actions, nil, strings[0], strings[1]) == 0 ? process : nil
  }

  /// Keeps what other tests have open from the command: a socket stays bound as long as any process has it.
  private static func keepDescriptors() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
      if let descriptor = Int32(name), descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
  }
}
