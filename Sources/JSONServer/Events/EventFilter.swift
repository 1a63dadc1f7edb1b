/// What a subscriber wants to be notified of.
struct EventFilter: Sendable {
  var types: Set<Event.Kind> = Set(Event.Kind.allCases)
  /// The one resource whose changes are wanted; `nil` for all.
  var resource: String?

  func includes(_ kind: Event.Kind, of resource: String?) -> Bool {
    types.contains(kind) && (self.resource == nil || resource == self.resource)
  }
}
