import Testing

@testable import JSONServerHTTP

/// What a connection does next, without a channel and without requests.
struct HTTPConnectionStateTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The events, of which the last one returns the action.
    let events: [HTTPConnectionState.Event]
    let action: HTTPConnectionState.Action
    /// The state after them: input, reading, turn, output.
    let state: String
    /// What the connection then waits for its client to do, while all requests have their responses.
    let wait: HTTPConnectionState.Wait?

    init(
      _ name: String, _ events: [HTTPConnectionState.Event], _ state: String, _ wait: HTTPConnectionState.Wait?,
      _ action: HTTPConnectionState.Action = .nothing
    ) {
      (testDescription, self.events, self.action, self.state, self.wait) = (name, events, action, state, wait)
    }
  }

  private static let request: [HTTPConnectionState.Event] = [
    .inputWanted, .bytesCame, .partCame, .headRead(expectsContinue: false), .partCame, .requestRead(isLast: false),
    .readCompleted,
  ]

  @Test(arguments: [
    Case("a new connection reads", [.inputWanted], "idle requested free ready", .idle, .read),
    Case("one round at a time", [.inputWanted, .inputWanted], "idle requested free ready", .idle),
    Case("a round without bytes, as of a handshake", [.inputWanted, .readCompleted], "idle paused free ready", .idle),
    Case("the beginning of a head", [.bytesCame, .readCompleted], "head paused free ready", .head),
    Case("a head in two rounds", [.bytesCame, .readCompleted] + request, "idle paused free ready", .idle),
    Case(
      "a round without bytes in a head", [.bytesCame, .readCompleted, .readCompleted], "head paused free ready", .head),
    Case(
      "a request, and the beginning of the next", Array(request.dropLast()) + [.bytesCame, .readCompleted],
      "idle paused free ready", .idle),
    Case("no reading within a round", [.bytesCame, .partCame, .inputWanted], "idle taking free ready", .idle),
    Case("a body", [.partCame, .headRead(expectsContinue: false), .readCompleted], "body paused free ready", .body),
    Case(
      "no permission unless it is awaited", [.headRead(expectsContinue: false), .idled], "body paused free ready", .body
    ),
    Case(
      "permission for a body", [.headRead(expectsContinue: true), .idled], "body paused free ready", .body, .permitBody),
    Case("permission once", [.headRead(expectsContinue: true), .idled, .idled], "body paused free ready", .body),
    Case(
      "a body without permission", [.headRead(expectsContinue: true), .bodyRead, .idled], "body paused free ready",
      .body),
    Case(
      "a last request", [.requestRead(isLast: true), .bytesCame, .readCompleted], "stopped paused free ready", .idle),
    Case(
      "a head after the last request", [.stopped, .headRead(expectsContinue: true)], "stopped paused free ready", .idle),
    Case("an end of the input", [.inputEnded], "ended paused free ready", .idle, .sendAndAsk),
    Case(
      "an end within a body", [.headRead(expectsContinue: false), .inputEnded], "ended paused free ready", .idle,
      .sendAndAsk),
    Case("no reading after the end", [.inputEnded, .inputWanted], "ended paused free ready", .idle),
    Case("a refusal after the end", [.inputEnded, .stopped], "ended paused free ready", .idle),
    Case("a client that may be gone", [.inputEnded, .clientMayBeGone], "asked paused free ready", .idle, .ask),
    Case(
      "a client that was asked", [.inputEnded, .clientMayBeGone, .clientMayBeGone], "asked paused free ready", .idle),
    Case(
      "a client that is asked again", [.inputEnded, .clientMayBeGone, .askedLongAgo, .clientMayBeGone],
      "asked paused free ready", .idle, .ask),
    Case("a client that still sends", [.clientMayBeGone], "idle paused free ready", .idle),
    Case(
      "no question within a stream", [.streamBegan(isEndless: false), .inputEnded, .clientMayBeGone],
      "ended paused free streaming", nil),
    Case(
      "a stream to a client that only reads", [.streamBegan(isEndless: false), .inputEnded],
      "ended paused free streaming", nil),
    Case(
      "an endless stream to a client that only reads", [.streamBegan(isEndless: true), .inputEnded],
      "ended paused free endless", nil, .close),
    Case("silence to a client that only reads", [.silenced, .inputEnded], "ended paused free silent", nil, .close),
    Case("the last bytes to a client that only reads", [.closing, .inputEnded], "ended paused free closing", .idle),
    Case(
      "the end of a client that may go on", [.closing, .lingering, .inputEnded], "ended paused free lingering", .close,
      .close),
    Case("sending", [.sendingWanted], "idle paused sending ready", .idle, .send),
    Case("sending within sending", [.sendingWanted, .sendingWanted], "idle paused sending ready", .idle),
    Case("sending again", [.sendingWanted, .sendingEnded, .sendingWanted], "idle paused sending ready", .idle, .send),
    Case(
      "others have their turn", [.sendingWanted, .yielded, .sendingEnded, .sendingWanted], "idle paused yielding ready",
      .idle),
    Case("after others", [.sendingWanted, .yielded, .sendingEnded, .turnCame], "idle paused free ready", .idle),
    Case("a stream", [.streamBegan(isEndless: false)], "idle paused free streaming", nil),
    Case("the end of a stream", [.streamBegan(isEndless: true), .streamEnded], "idle paused free ready", .idle),
    Case("a stop between requests", [.shutDown], "idle paused free ready", .idle, .send),
    Case("a stop within a stream", [.streamBegan(isEndless: false), .shutDown], "idle paused free streaming", nil),
    Case(
      "a stop within an endless stream", [.streamBegan(isEndless: true), .shutDown], "idle paused free endless", nil,
      .cancelStream),
    Case("a stop within silence", [.silenced, .shutDown], "idle paused free silent", nil, .close),
    Case("a stop within the last bytes", [.closing, .shutDown], "idle paused free closing", .idle),
    Case(
      "a stop after the last bytes", [.closing, .lingering, .shutDown], "idle paused free lingering", .close, .close),
  ])
  func `After events there is one action and one state`(_ test: Case) {
    var state = HTTPConnectionState()
    let actions = test.events.map { state.report($0) }
    #expect(actions.last == test.action)
    #expect("\(state.input) \(state.reading) \(state.turn) \(state.output)" == test.state)
    #expect(state.wait(isWritable: true, isHeldUp: false, isIdle: true) == test.wait)
  }

  @Test(
    arguments: [
      ([], false, true, false, .idle), ([], true, true, false, nil),
      ([], true, false, false, nil), ([.headRead(expectsContinue: true)], true, false, false, .body),
      ([.headRead(expectsContinue: true)], true, true, false, nil), ([.silenced], false, false, true, .idle),
      ([.bytesCame, .readCompleted], true, false, false, .head), ([.closing], true, true, false, .idle),
    ] as [([HTTPConnectionState.Event], Bool, Bool, Bool, HTTPConnectionState.Wait?)])
  func `A connection waits for its client only when the client must do something`(
    _ events: [HTTPConnectionState.Event], isWritable: Bool, isHeldUp: Bool, isIdle: Bool,
    _ wait: HTTPConnectionState.Wait?
  ) {
    var state = HTTPConnectionState()
    for event in events { state.report(event) }
    #expect(state.wait(isWritable: isWritable, isHeldUp: isHeldUp, isIdle: isIdle) == wait)
  }

  @Test func `Requests begin as the connection was opened, and none after the last response`() {
    for (isCrowded, admission) in [(false, HTTPConnectionState.Admission.all), (true, .administrative)] {
      var state = HTTPConnectionState()
      state.report(.opened(isCrowded: isCrowded))
      #expect(state.admission == admission)
      state.report(.lastResponseMade)
      #expect(state.admission == .none)
    }
  }
}
