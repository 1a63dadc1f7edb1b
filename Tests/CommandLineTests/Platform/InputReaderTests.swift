import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import swift_json_server

@Suite(.timeLimit(.minutes(1))) struct InputReaderTests {
  @Test
  func `What is not understood yet comes again with the next`() throws {
    let input = try Input()
    let heard = NIOLockedValueBox<[String]>([])
    let call = DispatchSemaphore(value: 0)
    let reader = try input.read { bytes in
      heard.withLockedValue { $0.append(String(decoding: bytes, as: UTF8.self)) }
      bytes.removeFirst()
      call.signal()
    }
    for text in ["ab", "c"] {
      input.write(text)
      #expect(call.wait(timeout: .soon) == .success)
    }
    #expect(heard.withLockedValue { $0 } == ["ab", "bc"])
    withExtendedLifetime(reader) {}
  }

  @Test
  func `Reading ends with its reader`() throws {
    let input = try Input()
    var reader: InputReader? = try input.read { _ in }
    withExtendedLifetime(reader) {}
    reader = nil
    #expect(input.isRead.wait(timeout: .soon) == .success)
  }

  @Test
  func `Input that has ended already is read to its end`() throws {
    for _ in 0..<100 {
      let input = try Input()
      input.write("a")
      let call = DispatchSemaphore(value: 0)
      let reader = try input.read { _ in call.signal() }
      input.end()
      #expect(call.wait(timeout: .soon) == .success)
      #expect(input.isRead.wait(timeout: .soon) == .success)
      withExtendedLifetime(reader) {}
    }
  }
}

/// A pipe that a test writes to.
private final class Input {
  /// Entered until the reading has ended.
  let isRead = DispatchGroup()
  private let reading: Int32
  private let writing: FileHandle

  init() throws {
    let ends = try #require(PipeEnds())
    reading = ends.reading
    writing = FileHandle(fileDescriptor: ends.writing)
  }

  deinit {
    end()
    // Otherwise the reader could read what another test opens.
    if isRead.wait(timeout: .soon) == .success { close(reading) }
  }

  func read(onInput: @escaping @Sendable (inout [UInt8]) -> Void) throws -> InputReader {
    let use = Use(of: isRead)
    return try #require(
      InputReader(of: reading) { bytes in
        withExtendedLifetime(use) { onInput(&bytes) }
      })
  }

  func write(_ text: String) {
    writing.write(Data(text.utf8))
  }

  func end() {
    try? writing.close()
  }
}

/// Is in a group as long as it lives: as long as the closure that holds it.
private final class Use: Sendable {
  private let group: DispatchGroup

  init(of group: DispatchGroup) {
    self.group = group
    group.enter()
  }

  deinit {
    group.leave()
  }
}

extension DispatchTime {
  /// When what has not happened never will.
  fileprivate static var soon: DispatchTime { .now() + 30 }
}
