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
      let output = Program(arguments: ["ls", "/dev/fd"]).output()
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
    let output = Program(arguments: ["sh", "-c", "echo hello; exit 3"]).output()
    #expect(output?.bytes == Array("hello\n".utf8))
    #expect(output?.status == 3)
    #expect(Program(arguments: ["there-is-no-such-program"]).output() == nil)
  }

  @Test
  func `A program ends by itself, whatever it leaves in the background`() async throws {
    let command = "sleep 600 & head -c 1000000 /dev/zero; echo $! >&2"
    let output = try #require(await Program(arguments: ["sh", "-c", command], errors: .apart).run())
    let sleeper = try #require(pid_t(String(decoding: output.errors.dropLast(), as: UTF8.self)))
    #expect(kill(sleeper, SIGKILL) == 0)
    #expect(output.bytes.count == 1_000_000)
    #expect(output.status == 0)
  }

  @Test(arguments: [Program.ErrorStream.output, .apart])
  func `A program reads its input, and its errors are kept`(_ errors: Program.ErrorStream) async {
    let program = Program(arguments: ["sh", "-c", "cat >&2"], input: Array("hello".utf8), errors: errors)
    let output = await program.run()
    #expect((errors == .output ? output?.bytes : output?.errors) == Array("hello".utf8))
  }

  @Test
  func `A program that prints too much or is canceled is killed`() async {
    let endless = await Program(arguments: ["sh", "-c", "exec yes"], maximumBytes: 1000).run()
    #expect(endless?.status == 128 + SIGKILL)
    let task = Task { await Program(arguments: ["sh", "-c", "exec sleep 600"]).run() }
    task.cancel()
    #expect(await task.value?.status == 128 + SIGKILL)
  }
}
