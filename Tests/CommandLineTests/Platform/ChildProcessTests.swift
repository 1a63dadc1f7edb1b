import Foundation
import Synchronization
import Testing

@testable import swift_json_server

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
  @Test
  func `A program has the standard streams alone, whatever another thread opens meanwhile`() {
    let isDone = Atomic(false)
    let opened = DispatchGroup()
    DispatchQueue.global().async(group: opened) {
      while !isDone.load(ordering: .relaxed) { close(fcntl(STDERR_FILENO, F_DUPFD, 100)) }
    }
    for _ in 0..<50 {
      let output = ChildProcess.output(of: ["ls", "/dev/fd"])
      #expect(output?.status == 0)
      let descriptors = String(decoding: output?.bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap {
        Int($0)
      }
      // `ls` itself has one more for the directory, and on a Mac another.
      #expect(3...5 ~= descriptors.count && descriptors.allSatisfy { $0 < 100 }, "\(descriptors)")
    }
    isDone.store(true, ordering: .relaxed)
    opened.wait()
  }

  @Test
  func `A program's output and exit code are returned`() {
    let output = ChildProcess.output(of: ["sh", "-c", "echo hello; exit 3"])
    #expect(output?.bytes == Array("hello\n".utf8))
    #expect(output?.status == 3)
    #expect(ChildProcess.output(of: ["there-is-no-such-program"]) == nil)
  }
}
