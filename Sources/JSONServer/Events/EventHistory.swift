import DequeModule

/// Names an event among those of all runs of a server, as `Last-Event-ID` does.
struct EventID: Sendable, Hashable, CustomStringConvertible {
  /// The run: what comes before the hyphen.
  let run: String
  let number: Int

  var description: String { "\(run)-\(number)" }
}

/// The newest events of a server, from which every subscriber reads at its own pace.
///
/// Each event is encoded once, when the first subscriber takes it; all share the bytes.
struct EventHistory {
  private struct Entry {
    enum Form {
      case event(Event)
      case encoded([UInt8])
    }

    let kind: Event.Kind
    let resource: String?
    var form: Form
  }

  /// How many events are kept.
  static let capacity = 1_000

  private let run: String
  private var entries: Deque<Entry> = []
  /// The number of the newest event; the first one's is 1.
  private(set) var lastNumber = 0

  /// - Parameter run: Names this run of the server, unlike any before it.
  init(run: String) {
    self.run = run
  }

  /// The number of the newest event that is no longer kept.
  var lastForgotten: Int { lastNumber - entries.count }

  /// The identifier of an event, for the subscriber to resume from.
  func id(of number: Int) -> EventID {
    EventID(run: run, number: number)
  }

  /// Returns the number of an event by its identifier; `nil` when it is not one that this run has published.
  func number(of id: String) -> Int? {
    guard let number = id.split(separator: "-").last.flatMap({ Int($0) }), 0...lastNumber ~= number,
      self.id(of: number).description == id
    else { return nil }
    return number
  }

  mutating func append(_ content: Event.Content) {
    lastNumber += 1
    if entries.count == Self.capacity { entries.removeFirst() }
    let event = Event(id: id(of: lastNumber), content: content)
    entries.append(Entry(kind: content.kind, resource: content.resource, form: .event(event)))
  }

  /// Returns the bytes of an event that is kept; `nil` when the filter does not include it.
  mutating func bytes(of number: Int, if filter: EventFilter) -> [UInt8]? {
    let index = number - lastForgotten - 1
    guard filter.includes(entries[index].kind, of: entries[index].resource) else { return nil }
    switch entries[index].form {
    case .encoded(let bytes): return bytes
    case .event(let event):
      let bytes = event.bytes
      entries[index].form = .encoded(bytes)
      return bytes
    }
  }
}
