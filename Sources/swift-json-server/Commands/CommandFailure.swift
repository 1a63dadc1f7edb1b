import ArgumentParser
import JSONServer
import JSONServerValues

/// An error that ends the command, with a message for people.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The message: what is wrong, with the file or the option, and what to do.
  let message: String
  /// The line of an error with a caret below it.
  let excerpt: String?

  init(_ status: ExitStatus, _ message: String, excerpt: String? = nil) {
    self.status = status
    self.message = message
    self.excerpt = excerpt
  }

  /// The options, and the requests, for the names of Swift's members in a server's messages.
  static let spellings: [String: String] = {
    var spellings = [
      "Server.addFault": "/__admin/faults", "Server.hold": "/__admin/holds",
      "Server.releaseHold": "DELETE /__admin/holds/{id}", "Server.importDatabase(replacing: true)": "--replace",
    ]
    for option in ServeCommand.table {
      for member in option.members { spellings[member] = "--\(option.name)" }
    }
    return spellings
  }()

  /// The failure for a server's error.
  ///
  /// - Parameter spellings: What the message calls the names of Swift's members.
  init(_ error: ServerError, _ spellings: [String: String] = Self.spellings) {
    self.init(ExitStatus(error.code), error.message.respelled(spellings), excerpt: error.excerpt)
  }

  /// The error of a text that is not JSON, with the line.
  init(_ status: ExitStatus, _ error: JSONError, in text: [UInt8], of path: String) {
    self.init(status, "\(path):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
  }

  /// The failure for what a command throws: mostly a failure, or a server's error.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ServerError: self.init(error, Self.spellings)
    default: self.init(.unreadable, "\(error)")
    }
  }

  /// Calls a closure, and converts a server's error to a ``CommandFailure``.
  ///
  /// - Parameter option: The beginning of the message, unless the server's message names an option itself.
  static func translating<Result>(
    _ option: String = "", _ body: () throws(ServerError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(ServerError) {
      return try body()
    } catch {
      throw option.isEmpty
        ? CommandFailure(error) : CommandFailure(.usage, option + error.message, excerpt: error.excerpt)
    }
  }

  /// - Throws: ``CommandFailure`` unless a path leads to a directory.
  static func checkDirectory(_ path: String) throws(CommandFailure) {
    guard FileKind(of: path) == .directory else { throw CommandFailure(.usage, "'\(path)' is not a directory.") }
  }

  /// The message, and the excerpt below it.
  var text: String {
    excerpt.map { "\(message)\n\($0)" } ?? message
  }
}

/// A command that reports an error as a sentence on standard error, with an exit code.
protocol ReportingCommand: AsyncParsableCommand {
  /// Does the command's work.
  ///
  /// - Returns: The exit code.
  /// - Throws: ``CommandFailure``, or the `ServerError` of the server that the command starts.
  func perform() async throws -> Int32
}

extension ReportingCommand {
  func run() async throws {
    var status: Int32
    do {
      status = try await perform()
    } catch {
      let failure = CommandFailure(error)
      FileText.send(Array("swift-json-server: \(failure.text)\n".utf8), to: LogStream.error.rawValue)
      status = failure.status.rawValue
    }
    guard status == 0 else { throw ExitCode(status) }
  }
}

/// The exit codes of the command, as in BSD's sysexits.h.
enum ExitStatus: Int32, CaseIterable {
  /// As the exit code of diff(1).
  case differs = 1
  case usage = 64
  case invalidSource = 65
  case missingSource = 66
  case portInUse = 69
  case cannotListen = 71
  case cannotCreate = 73
  case unreadable = 74
  case locked = 75

  init(_ code: ServerError.Code) {
    self =
      switch code {
      case .sourceMissing: .missingSource
      case .sourceUnreadable: .unreadable
      case .sourceInvalid: .invalidSource
      case .sourceLocked: .locked
      case .invalidConfiguration: .usage
      case .portInUse: .portInUse
      case .cannotListen: .cannotListen
      // Only running servers throw these.
      case .notSaved, .unknownSnapshot, .unknownRecord: .unreadable
      }
  }

  /// The line in `--help`.
  var meaning: String {
    switch self {
    case .differs: "the file differs from the API (validate --against), or a change is not survived (rehearse)"
    case .usage: "an option or a settings file is invalid"
    case .invalidSource: "the source is not JSON, or cannot be served"
    case .missingSource: "the source does not exist"
    case .portInUse: "the port is in use"
    case .cannotListen: "the server cannot listen on the address"
    case .cannotCreate: "a file cannot be created"
    case .unreadable: "the source cannot be read"
    case .locked: "another server has the source"
    }
  }

  /// The exit codes and their meanings, as `--help` shows them.
  ///
  /// - Parameter success: The meaning of 0.
  static func table(_ success: String, _ meanings: [(ExitStatus, String)]) -> String {
    ([(0, success)] + meanings.map { (Int($0.rawValue), $1) })
      .map { "\($0 < 10 ? "   " : "  ")\($0)  \($1)" }.joined(separator: "\n")
  }
}

extension CommandConfiguration {
  /// The configuration of a command whose discussion ends with its exit codes.
  ///
  /// - Parameters:
  ///   - success: The meaning of 0.
  ///   - exitCodes: The other codes, and their meanings.
  init(
    commandName: String, abstract: String, usage: String? = nil, discussion: String, success: String,
    exitCodes: [(ExitStatus, String)]
  ) {
    self.init(
      commandName: commandName, abstract: abstract, usage: usage,
      discussion: "\(discussion)\n\nExit codes:\n\(ExitStatus.table(success, exitCodes))")
  }
}
