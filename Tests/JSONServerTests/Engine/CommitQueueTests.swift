import HTTPTypes
import JSONDatabase
import Testing

@testable import JSONServer

/// When writes are saved together.
struct CommitQueueTests {
  private static var response: PendingResponse {
    let request = Request(method: .put, target: "/posts/1")
    let context = RequestContext(
      request, preprocessed: request, target: .none, mountedTarget: request.target, ignoresCase: true
    ) { _ in }
    return PendingResponse(
      requester: Requester(context, .changes(of: "posts")), response: PreparedResponse(),
      resources: ["posts"])
  }

  @Test func `Writes that come before a commit starts join it, later ones the next`() {
    var commits = CommitQueue()
    var mustSchedule = (0..<2).map { _ in commits.add(Self.response, changing: [0]) }
    #expect(mustSchedule == [true, false])
    let isFirst = commits.start()
    #expect(isFirst && commits.inFlight?.responses.count == 2)

    mustSchedule = [commits.add(Self.response, changing: [0])]
    let isSecond = commits.start()
    #expect(!isSecond)
    let responses = commits.finish()
    #expect(responses.count == 2)

    mustSchedule += [commits.schedule(), commits.add(Self.response, changing: [0])]
    #expect(mustSchedule == [false, true, false])
    let isThird = commits.start()
    #expect(isThird && commits.inFlight?.responses.count == 2)
  }

  @Test(arguments: [
    (Duration.milliseconds(9), Duration.zero),
    (.milliseconds(80), .milliseconds(5)),
    (.seconds(2), .milliseconds(10)),
  ])
  func `A commit waits for others by how long the last one took`(_ duration: Duration, _ wait: Duration) {
    var commits = CommitQueue()
    #expect(commits.gatheringTime == .zero)
    _ = commits.add(Self.response, changing: [0])
    _ = commits.start(now: .seconds(100))
    _ = commits.finish(now: .seconds(100) + duration)
    #expect(commits.gatheringTime == wait)
  }
}
