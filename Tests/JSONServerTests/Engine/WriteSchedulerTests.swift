import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage
import TestSupport
import Testing

@testable import JSONServer

/// What the owner of the data does next, without an owner and without data.
struct WriteSchedulerTests {
  private static let full = StorageError(.noSpace, "The disk is full.")

  @Test func `Writes that come before a commit starts join it, later ones the next`() {
    let owner = Owner()
    owner.write(1, 2)
    #expect(owner.report(.commitDue) == ["commit 1 2"])
    owner.write(3)
    #expect(owner.report(.commitDue) == [])
    owner.write(4)
    #expect(owner.report(.commitEnded(.done)) == ["finish 1 2", "schedule"])
    #expect(owner.report(.commitDue) == ["commit 3 4"])
    #expect(owner.report(.commitEnded(.uncertain(Self.full))) == ["finish 3 4 uncertain"])
  }

  @Test(arguments: [
    (Duration.milliseconds(9), Duration.zero),
    (.milliseconds(80), .milliseconds(5)),
    (.seconds(2), .milliseconds(10)),
  ])
  func `A commit waits for others by how long the last one took`(_ duration: Duration, _ wait: Duration) {
    var commits = CommitQueue()
    #expect(commits.gatheringTime == .zero)
    commits.add(Owner.response(1), changing: [0])
    _ = commits.schedule()
    _ = commits.start(now: .seconds(100))
    _ = commits.finish(now: .seconds(100) + duration)
    #expect(commits.gatheringTime == wait)
  }

  @Test func `A failed commit refuses its writes, and all later ones are carried out again`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    owner.write(2)
    owner.apply(3)
    owner.write(4)
    #expect(owner.report(.commitEnded(.failed(Self.full))) == ["roll back", "refuse 1", "carry out 2 3 4"])
    #expect(owner.scheduler.workNumber == nil)
  }

  @Test func `A read that waited for a failed commit is carried out again`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    owner.read(2)
    #expect(owner.report(.commitEnded(.failed(Self.full))) == ["roll back", "refuse 1", "carry out 2"])
  }

  @Test func `A change of the state alone waits for a change that takes long`() {
    let owner = Owner()
    owner.apply(1)
    owner.changeState(2)
    #expect(owner.report(.commitDue) == [])
    #expect(owner.endApplying(1) == ["schedule"])
    #expect(owner.report(.commitDue) == ["commit 2 1"])
  }

  @Test func `An edit during a commit waits for its end`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    #expect(owner.report(.arrived(Owner.edit(1))) == [])
    owner.write(2)
    #expect(owner.report(.commitEnded(.done)) == ["finish 1", "roll back", "prepare edit 1"])
    #expect(owner.report(.prepared(Owner.effect())) == ["adopt edit 1", "carry out 2"])
  }

  @Test func `A commit that meets an edit ends with it, and is repeated on the edited data`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    #expect(owner.report(.commitEnded(.moved(to: Owner.edit(1)))) == ["roll back", "prepare edit 1"])
    owner.write(2)
    #expect(owner.report(.prepared(Owner.effect())) == ["adopt edit 1", "carry out 1 2"])
    #expect(owner.carriedOut.map(\.editEffects.collisions) == [1, 0])
    #expect(owner.carriedOut.map(\.editEffects.hidesEdit) == [true, true])
  }

  @Test func `An edit waits until a change that takes long is committed`() {
    let owner = Owner()
    owner.apply(1)
    #expect(owner.report(.arrived(Owner.edit(1))) == [])
    owner.write(2)
    #expect(owner.endApplying(1) == ["schedule", "carry out 2"])
    #expect(owner.report(.commitDue) == ["commit 1"])
    #expect(owner.report(.commitEnded(.done)) == ["finish 1", "roll back", "prepare edit 1"])
  }

  @Test func `Writes of other servers overtake a change that takes long, which then waits for the turn`() {
    let owner = Owner()
    owner.apply(1)
    owner.write(2)
    #expect(owner.report(.arrived(Owner.newer(1))) == ["roll back", "apply version 1", "schedule"])
    #expect(owner.report(.commitDue) == ["take the turn for 1 2"])
    let moved = owner.report(.commitEnded(.moved(to: Owner.newer(2))))
    #expect(moved == ["roll back", "apply version 2", "carry out 1 2", "release the turn"])
  }

  @Test func `A write that other servers were before keeps the turn until its commit`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    owner.onCarryOut = { owner.write(1) }
    let moved = owner.report(.commitEnded(.moved(to: Owner.newer(1))))
    #expect(moved == ["roll back", "apply version 1", "carry out 1", "schedule"])
    #expect(owner.report(.commitDue) == ["commit 1"])
    #expect(owner.report(.commitEnded(.done)) == ["finish 1"])
  }

  @Test func `An edit that removes writes waits for a copy, and is tried again without one`() {
    let owner = Owner()
    owner.report(.arrived(Owner.edit(1)))
    #expect(owner.report(.prepared(Owner.effect(losing: "/posts/2"))) == ["copy for edit 1"])
    owner.write(1)
    #expect(owner.report(.copied(.failure(Self.full))) == ["warn", "retry later", "carry out 1"])
    owner.write(2)
    #expect(owner.ends == [2: 1])
    #expect(owner.report(.arrived(Owner.edit(2))) == [])
    #expect(owner.report(.retryDue) == ["roll back", "prepare edit 2"])
    owner.report(.prepared(Owner.effect(losing: "/posts/2")))
    #expect(owner.report(.copied(.failure(Self.full))) == ["retry later"])
    owner.report(.retryDue)
    owner.report(.prepared(Owner.effect(losing: "/posts/2")))
    #expect(owner.report(.copied(.success("copy"))) == ["warn", "adopt edit 2"])
  }

  @Test func `A reset is refused without a copy, and writes behind it go on`() {
    let owner = Owner()
    owner.replaceAll(1, removesUnseenEdit: true)
    owner.write(2)
    #expect(owner.report(.prepared(Owner.effect())) == ["copy for 1"])
    owner.report(.arrived(Owner.edit(1)))
    #expect(owner.report(.copied(.failure(Self.full))) == ["refuse 1", "carry out 2", "roll back", "prepare edit 1"])
  }

  @Test func `A reset during a commit that fails begins again`() {
    let owner = Owner()
    owner.write(1)
    owner.report(.commitDue)
    owner.replaceAll(2)
    owner.write(3)
    #expect(owner.report(.commitEnded(.failed(Self.full))) == ["roll back", "refuse 1", "carry out 2 3"])
    #expect(owner.report(.prepared(Owner.effect())) == [])
  }

  /// Events in random orders. The commits, copies and changes that take long end at any time, and in any way.
  @Test(arguments: 0..<400) func `Whatever happens, each request ends once and the last edit is served`(_ seed: Int) {
    let owner = Owner(seed: UInt64(seed))
    for _ in 0..<80 { owner.doSomething() }
    owner.isCalm = true
    while owner.reportSomething() {}
    #expect(owner.ends == Dictionary(uniqueKeysWithValues: (0..<owner.requestCount).map { ($0, 1) }))
    #expect(owner.served == owner.lastGeneration)
    #expect(owner.scheduler.workNumber == nil && owner.scheduler.commits.isIdle)
  }
}

/// An owner without data: it records the actions of its scheduler.
private final class Owner {
  private static let data = try! Database(parsing: UTF8Slice("{}"), ids: IDGenerator { "" })

  private(set) var scheduler = WriteScheduler()
  /// The actions of the last event.
  private(set) var actions: [String] = []
  private(set) var carriedOut: [Requester] = []
  /// What the requests do when they are carried out again.
  var onCarryOut: () -> Void = {}
  /// The number of responses of each request.
  private(set) var ends: [Int: Int] = [:]

  // MARK: A script

  static func edit(_ generation: Int) -> LoadedSource {
    .file(LoadedFile(.whole(data), generation: generation))
  }

  static func newer(_ number: Int) -> LoadedSource {
    .newer(NewerVersion(data, number: number, since: 0, commitID: nil))
  }

  static func effect(losing record: String? = nil) -> Takeover.Effect {
    Takeover.Effect(data: data, lost: record.map { [$0] } ?? [])
  }

  static func response(_ number: Int) -> PendingResponse {
    let request = Request(method: .put, target: "\(number)")
    let context = RequestContext(request, target: .none, ignoresCase: true) { _ in }
    return PendingResponse(requester: Requester(context, .changes(of: "posts", by: nil)), resources: ["posts"])
  }

  func write(_ numbers: Int...) {
    for number in numbers { write(Self.response(number).requester) }
  }

  private func write(_ requester: Requester) {
    if admit(requester) { change(requester) }
  }

  /// Begins a change that takes long.
  func apply(_ number: Int) {
    let requester = Self.response(number).requester
    if admit(requester) { scheduler.beginApplying(for: requester) }
  }

  /// Ends the change that takes long, and returns the actions.
  func endApplying(_ number: Int) -> [String] {
    (actions, carriedOut) = ([], [])
    endApplying(Self.response(number).requester)
    return actions
  }

  private func endApplying(_ requester: Requester) {
    let actions = scheduler.handle(.applied, isNews: isNews)
    change(requester)
    scheduler.commits.markLarge()
    perform(actions)
  }

  private func change(_ requester: Requester) { commit(PendingResponse(requester: requester, resources: ["posts"])) }

  func changeState(_ number: Int) {
    commit(PendingResponse(requester: Self.response(number).requester, changesState: true))
  }

  private func commit(_ pending: PendingResponse) {
    scheduler.commits.add(pending, changing: pending.resources.isEmpty ? [] : [0])
    perform(scheduler.scheduleCommit())
  }

  func read(_ number: Int) { read(Self.response(number).requester) }

  private func read(_ requester: Requester) {
    if !scheduler.commits.wait(PendingResponse(requester: requester), for: 0) { end([requester]) }
  }

  func replaceAll(_ number: Int, removesUnseenEdit: Bool = false) {
    replaceAll(Self.response(number).requester, removesUnseenEdit)
  }

  private func replaceAll(_ requester: Requester, _ removesUnseenEdit: Bool) {
    guard admit(requester) else { return }
    let pending = PendingResponse(requester: requester, resources: ["posts"])
    perform(scheduler.beginTakeover(by: Self.data, pending, removesUnseenEdit: removesUnseenEdit))
  }

  private func admit(_ requester: Requester) -> Bool {
    do throws(RequestError) {
      return try scheduler.admit(requester)
    } catch {
      end([requester])
      return false
    }
  }

  /// Reports an event, and returns the actions.
  @discardableResult
  func report(_ event: WriteScheduler.Event) -> [String] {
    (actions, carriedOut) = ([], [])
    handle(event)
    return actions
  }

  private func handle(_ event: WriteScheduler.Event) {
    perform(scheduler.handle(event, isNews: isNews))
  }

  private func isNews(_ source: LoadedSource) -> Bool {
    switch source {
    case .file(let file): file.generation > served
    case .newer(let version): version.number > served
    }
  }

  private func perform(_ new: [WriteScheduler.Action]) {
    for action in new {
      if case .goOn = action {
        handle(.goOn)
      } else {
        actions.append(Self.text(of: action))
        if random != nil { play(action) }
      }
      if case .resume(let requesters) = action, !requesters.isEmpty {
        carriedOut = requesters
        onCarryOut()
      }
    }
    actions.removeAll { $0 == "carry out" }
  }

  private func end(_ requesters: [Requester]) {
    for requester in requesters { ends[Self.number(of: requester), default: 0] += 1 }
  }

  private static func number(of requester: Requester) -> Int {
    requester.context.flatMap { Int($0.original.target) } ?? -1
  }

  private static func text(of action: WriteScheduler.Action) -> String {
    func list(_ responses: [PendingResponse]) -> String { list(responses.map(\.requester)) }
    func list(_ requesters: [Requester]) -> String { requesters.map { "\(number(of: $0))" }.joined(separator: " ") }
    func name(of takeover: Takeover) -> String {
      switch takeover.replacement {
      case .edit(let file): "edit \(file.generation)"
      case .all(_, let pending): list([pending])
      }
    }
    switch action {
    case .schedule: return "schedule"
    case .commit(let batch): return (batch.takesTurn ? "take the turn for " : "commit ") + list(batch.responses)
    case .finish(let batch, let error): return "finish \(list(batch.responses))\(error == nil ? "" : " uncertain")"
    case .rollBack: return "roll back"
    case .refuse(let responses, _): return "refuse \(list(responses))"
    case .apply(let version): return "apply version \(version.number)"
    case .prepare(let takeover): return "prepare \(name(of: takeover))"
    case .copy(let takeover): return "copy for \(name(of: takeover))"
    case .retryLater: return "retry later"
    case .adopt(let file, _): return "adopt edit \(file.generation)"
    case .replaceAll(_, let pending): return "replace all for \(list([pending]))"
    case .warn: return "warn"
    case .resume(let requesters): return requesters.isEmpty ? "carry out" : "carry out \(list(requesters))"
    case .releaseTurn: return "release the turn"
    case .goOn: return "go on"
    }
  }

  // MARK: Chance

  /// The source of chance; `nil` for a script.
  private var random: SeededGenerator?
  /// Whether other servers write, in place of people who edit a file.
  private var isShared = false
  /// Whether all that has begun ends well.
  var isCalm = false
  private(set) var requestCount = 0
  /// The generation of the served data, and of the last edit.
  private(set) var served = 0
  private(set) var lastGeneration = 0
  private var isCommitting = false
  /// What is under way: its end, and the number of the work to which it belongs.
  private var underWay: [(work: Int??, end: () -> Void)] = []

  init() {}

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isShared = chance(2) == 0
  }

  private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random!) }

  func doSomething() {
    switch chance(6) {
    case 0...2:
      requestCount += 1
      send(Self.response(requestCount - 1).requester)
    case 3: report(.arrived(newSource()))
    default: _ = reportSomething()
    }
  }

  /// Ends something that is under way; returns whether there was anything.
  func reportSomething() -> Bool {
    guard !underWay.isEmpty else { return false }
    let (work, end) = underWay.remove(at: chance(underWay.count))
    if work == nil || work == scheduler.workNumber { end() }
    return true
  }

  private func send(_ requester: Requester) {
    switch Self.number(of: requester) % 7 {
    case 0: replaceAll(requester, requester.editEffects.hidesEdit)
    case 1:
      guard admit(requester) else { return }
      scheduler.beginApplying(for: requester)
      underWay.append((scheduler.workNumber, { self.endApplying(requester) }))
    case 2: read(requester)
    default: write(requester)
    }
  }

  private func begin(isWork: Bool = false, _ makeEvent: @escaping () -> WriteScheduler.Event) {
    underWay.append((isWork ? .some(scheduler.workNumber) : nil, { self.report(makeEvent()) }))
  }

  private func newSource() -> LoadedSource {
    lastGeneration += 1
    return isShared ? Self.newer(lastGeneration) : Self.edit(lastGeneration)
  }

  private func commitResult(takesTurn: Bool) -> CommitResult {
    let kind = isCalm ? (takesTurn ? 3 : 0) : chance(takesTurn ? 2 : 4) + (takesTurn ? 2 : 0)
    let error = StorageError(.noSpace, "Full.")
    switch kind {
    case 0: return .done
    case 1: return .uncertain(error)
    case 2: return .failed(error)
    default:
      let source = newSource()
      // The watch may report the same edit.
      if chance(2) == 0 { begin { .arrived(source) } }
      return .moved(to: source)
    }
  }

  private func play(_ action: WriteScheduler.Action) {
    switch action {
    case .schedule: begin { .commitDue }
    case .commit(let batch):
      #expect(!isCommitting && !batch.isEmpty)
      isCommitting = true
      begin {
        self.isCommitting = false
        return .commitEnded(self.commitResult(takesTurn: batch.takesTurn))
      }
    case .finish(let batch, _): end(batch.responses.map(\.requester))
    case .refuse(let responses, _): end(responses.map(\.requester))
    case .prepare:
      #expect(scheduler.workNumber != nil)
      begin(isWork: true) { .prepared(Self.effect(losing: !self.isCalm && self.chance(2) == 0 ? "1" : nil)) }
    case .copy:
      begin(isWork: true) {
        .copied(self.isCalm || self.chance(2) == 0 ? .success("copy") : .failure(StorageError(.noSpace, "Full.")))
      }
    case .retryLater: begin(isWork: true) { .retryDue }
    case .apply(let version):
      #expect(!isCommitting)
      served = version.number
    case .adopt(let file, _):
      #expect(!isCommitting)
      served = file.generation
    case .replaceAll(_, let pending): change(pending.requester)
    case .resume(let requesters):
      for requester in requesters {
        if requester.editEffects.collisions >= 3 { end([requester]) } else { send(requester) }
      }
    case .rollBack: #expect(!isCommitting)
    case .warn, .releaseTurn, .goOn: break
    }
  }
}
