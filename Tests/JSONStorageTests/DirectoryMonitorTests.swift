import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONStorage

@Suite(.timeLimit(.minutes(1))) struct `A directory's monitor` {
  @Test(arguments: [FileStoreOptions.Watching.notifications, .polling])
  func `says when a file came`(watching: FileStoreOptions.Watching) async throws {
    let directory = try TemporaryDirectory()
    let looks = try Looks(directory, FileStoreOptions(watching: watching))
    try await looks.next { $0.isEmpty }
    try directory.write("[]", to: "posts.json")
    try await looks.next { $0 == ["posts"] }
    looks.monitor.close()
  }

  #if os(Linux)
    @Test func `is notified immediately by the file system`() async throws {
      let directory = try TemporaryDirectory()
      var options = FileStoreOptions(watching: .notifications)
      options.timing.pollInterval = .seconds(3600)
      let looks = try Looks(directory, options)
      try await looks.next { $0.isEmpty }
      try directory.write("[]", to: "posts.json")
      try await looks.next { $0 == ["posts"] }
      looks.monitor.close()
    }
  #endif

  @Test(arguments: [true, false])
  func `releases its closure when it is closed, twice if need be, or released`(isClosed: Bool) async throws {
    let directory = try TemporaryDirectory()
    weak var kept: Keepsake?
    do {
      let keepsake = Keepsake()
      kept = keepsake
      let monitor = try DirectoryMonitor.start(directory.path, options: FileStoreOptions()) { _ = keepsake }
      if isClosed {
        monitor.close()
        monitor.close()
      }
    }
    while kept != nil { await Task.yield() }
  }

  private final class Keepsake: Sendable {}
}

/// What a monitor's calls saw.
private struct Looks {
  let monitor: DirectoryMonitor
  private let stream: AsyncStream<[String]>

  init(_ directory: TemporaryDirectory, _ options: FileStoreOptions) throws {
    let (stream, continuation) = AsyncStream<[String]>.makeStream()
    self.stream = stream
    let path = directory.path
    monitor = try DirectoryMonitor.start(path, options: options) {
      continuation.yield(((try? DirectoryListing(path))?.entries ?? []).map(\.name))
    }
  }

  func next(where isWanted: ([String]) -> Bool) async throws {
    for await names in stream where isWanted(names) { return }
  }
}
