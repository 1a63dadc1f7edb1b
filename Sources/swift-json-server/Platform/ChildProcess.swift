import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that this command runs.
struct ChildProcess: Sendable {
  private let id: pid_t

  /// Starts a program, which is looked for in PATH unless it is named with a slash.
  ///
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - descriptors: What becomes its standard input, output and error, by their numbers; by default this process's.
  /// - Returns: `nil` when there is no such program, or it cannot be run.
  static func start(
    _ arguments: [String], variables: [String: String] = [:], descriptors: [Int32: Int32] = [:]
  ) -> ChildProcess? {
    guard let name = arguments.first else { return nil }
    if !closesDescriptors { markDescriptors() }
    let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
    return withFileActions(descriptors) { actions in
      withAttributes { attributes in
        withCStrings(arguments) { arguments in
          withCStrings(environment) { environment in
            var id: pid_t = 0
            guard posix_spawnp(&id, name, actions, attributes, arguments, environment) == 0 else {
              return nil
            }
            return ChildProcess(id: id)
          }
        }
      }
    }
  }

  /// Marks the descriptors that are open now to be closed in the program.
  ///
  /// A connection that is accepted before the program starts escapes this: NIO opens sockets without the mark.
  private static func markDescriptors() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
      if let descriptor = Int32(name), descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: Its standard output and its exit code; `nil` when it cannot be run.
  static func output(of arguments: [String]) -> (bytes: [UInt8], status: Int32)? {
    guard let pipe = PipeEnds() else { return nil }
    defer { close(pipe.reading) }
    let child = start(arguments, descriptors: [STDOUT_FILENO: pipe.writing])
    close(pipe.writing)
    guard let child else { return nil }
    let bytes = FileText.contents(from: pipe.reading)
    let status = child.wait()
    return bytes.map { ($0, status) }
  }

  /// Waits for the end. Blocks.
  ///
  /// - Returns: The exit code, as a shell has it: 128 and the number for the end by a signal.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return 1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Waits for the end on another thread.
  func onEnd(_ body: @escaping @Sendable (_ status: Int32) -> Void) {
    DispatchQueue.global().async { body(wait()) }
  }

  func send(_ signal: Int32) {
    kill(id, signal)
  }
}

// MARK: - C

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
#endif

extension ChildProcess {
  #if canImport(Darwin)
    private static let closesDescriptors = true
  #else
    private typealias AddCloseFrom = @Sendable @convention(c) (UnsafeMutablePointer<FileActions>, Int32) -> Int32

    /// glibc has it from 2.34 on, musl does not.
    private static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast($0, to: AddCloseFrom.self)
    }

    private static var closesDescriptors: Bool { addCloseFrom != nil }
  #endif

  /// Describes the program's descriptors: its standard streams and nothing else.
  ///
  /// The server's sockets stay here, since the program may outlive it: a port is bound as long as any process has the
  /// socket.
  private static func withFileActions<Result>(
    _ descriptors: [Int32: Int32], _ body: (UnsafePointer<FileActions>) -> Result
  ) -> Result {
    #if canImport(Darwin)
      var actions: FileActions = nil
    #else
      var actions = FileActions()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
    #if canImport(Darwin)
      // The attributes close all that is not named.
      for number in STDIN_FILENO...STDERR_FILENO where descriptors[number] == nil && fcntl(number, F_GETFD) >= 0 {
        posix_spawn_file_actions_addinherit_np(&actions, number)
      }
    #else
      _ = addCloseFrom?(&actions, STDERR_FILENO + 1)
    #endif
    return body(&actions)
  }

  /// The signals that this process ignores have their default meaning in the child.
  private static func withAttributes<Result>(_ body: (UnsafePointer<Attributes>) -> Result) -> Result {
    #if canImport(Darwin)
      var attributes: Attributes = nil
    #else
      var attributes = Attributes()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in Signals.stopping + [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    #if canImport(Darwin)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT))
    #else
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    #endif
    return body(&attributes)
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The two ends of a pipe, which no program that is started later inherits unasked.
struct PipeEnds {
  let reading: Int32
  let writing: Int32

  /// Makes a pipe; `nil` when the process has no descriptors left.
  init?() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }
}
