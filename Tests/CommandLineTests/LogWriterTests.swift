import ArgumentParser
import Dispatch
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer
@testable import swift_json_server

/// The log of a terminal that blocks until a test lets it continue.
struct LogWriterTests {
  /// What a body holds.
  private final class Content: Sendable {
    func piece() -> [UInt8]? { nil }
  }

  private static func options(_ arguments: [String]) throws -> ServeCommand {
    try ServeCommand.parse(["database.json"] + arguments)
  }

  @Test
  func `A line that waits to be printed keeps no body`() throws {
    let isStill = DispatchSemaphore(value: 0)
    let printed = NIOLockedValueBox("")
    let log = LogWriter(try Self.options([])) { text, _ in
      isStill.wait()
      isStill.signal()
      printed.withLockedValue { $0 += String(decoding: text, as: UTF8.self) }
    }
    weak var kept: Content?
    do {
      let content = Content()
      kept = content
      log.log(
        .responded(
          Exchange(
            id: 1, request: Request(method: .get, target: "/waiting"),
            route: EffectiveRoute(method: .get, target: try RequestTarget("/waiting"), ignoresCase: true),
            response: PreparedResponse(body: .stream(AsyncStream(unfolding: { content.piece() }))), respondedAt: 0,
            duration: .zero
          )))
    }
    // The first line may be on its way already; the second waits for it.
    for _ in 0..<2 { log.print("") }
    #expect(kept == nil)
    isStill.signal()
    log.flush()
    #expect(printed.withLockedValue { $0 }.contains("/waiting"))
  }

  @Test(arguments: [(ServerEvent.warning("text"), true), (.invalid(message: "text"), true), (.hint("text"), false)])
  func `A quiet server prints warnings and errors`(_ event: ServerEvent, _ isPrinted: Bool) throws {
    let printed = NIOLockedValueBox("")
    let log = LogWriter(try Self.options(["--quiet"])) { text, _ in
      printed.withLockedValue { $0 += String(decoding: text, as: UTF8.self) }
    }
    log.log(event)
    log.flush()
    #expect(printed.withLockedValue { $0 }.contains("text") == isPrinted)
  }

  @Test
  func `Messages begin in one column, whatever they are about`() throws {
    let events: [ServerEvent] = [
      .reloaded(resources: ["text"]), .invalid(message: "text"), .restored(path: "text"), .deleted(path: "text"),
      .warning("text"), .hint("text"), .working("text"),
    ]
    let formatter = EventFormatter(format: .text, style: LogStyle(isColored: false))
    let request = RespondedRequest(
      Exchange(
        id: 1, request: Request(method: .options, target: "/"),
        route: EffectiveRoute(method: .options, target: .none, ignoresCase: true),
        response: PreparedResponse(status: .noContent), respondedAt: 0, duration: .zero))
    let shown = events.map { formatter.line(for: $0, at: .now) } + [formatter.line(for: request, at: .now)]
    let lines = shown.map(\.1)
    #expect(lines.count == 8)
    for line in lines { #expect(line.wholeMatch(of: /.{18}  (text|204).*/) != nil, "\(line)") }
  }

  @Test(arguments: [
    ("/caf%C3%A9?q=a%20b", "/café?q=a b"), ("/a%1B%5B31m", "/a\\u{1B}[31m"), ("/%E9", "/%E9"), ("/50%", "/50%"),
  ])
  func `Paths are shown decoded, and counts with separators`(_ target: String, _ shown: String) throws {
    let body = [UInt8](repeating: 0, count: 1_234_567)
    let request = RespondedRequest(
      Exchange(
        id: 1, request: Request(method: .get, target: target),
        route: EffectiveRoute(method: .get, target: .none, ignoresCase: true),
        response: PreparedResponse(body: .bytes(body)), respondedAt: 0, duration: .zero))
    let line = EventFormatter(format: .text, style: LogStyle(isColored: false)).line(for: request, at: .now).1
    #expect(line.hasSuffix("1,234,567 B  \(shown)"))
  }

  @Test(arguments: [
    (0, "0", "0 B"), (999, "999", "999 B"), (1_000, "1,000", "1 KB"), (301_234_567, "301,234,567", "301 MB"),
  ])
  func `Numbers are grouped, and sizes have units`(_ number: Int, _ grouped: String, _ size: String) {
    #expect(LogText.grouped(number) == grouped)
    #expect(LogText.size(number) == size)
  }

  @Test(arguments: [
    ([], true), (["--quiet"], true), (["--exec", "true"], false), (["--log-format", "json"], false),
  ])
  func `Keys are read where their output is shown to a person`(_ arguments: [String], _ isTaken: Bool) throws {
    #expect(ServerRun.takesKeys(try Self.options(arguments)) == isTaken)
  }

  @Test(arguments: [
    ("text", "\\u{202E}\\u{9B}31m"), ("json", "\\u202E\\u009B31m"),
  ])
  func `What could turn or steer a terminal is escaped in each format`(_ format: String, _ expected: String) throws {
    let printed = NIOLockedValueBox("")
    let log = LogWriter(try Self.options(["--log-format", format])) { text, _ in
      printed.withLockedValue { $0 += String(decoding: text, as: UTF8.self) }
    }
    log.log(.hint("No record has '\u{202E}\u{9B}31m'."))
    log.flush()
    let line = printed.withLockedValue { $0 }
    #expect(line.contains(expected))
    #expect(!line.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{9B}" })
  }
}
