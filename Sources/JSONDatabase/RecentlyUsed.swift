/// A few values by key; when one too many is added, the one whose use lies furthest back goes.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let maximumCount: Int
  private var values: [Key: Value] = [:]
  private var lastUse: [Key: Int] = [:]
  private var uses = 0

  init(_ maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  /// The value of a key; reading it counts as a use.
  subscript(key: Key) -> Value? {
    mutating get {
      guard let value = values[key] else { return nil }
      use(key)
      return value
    }
    set {
      if newValue != nil, values[key] == nil, values.count >= maximumCount { removeOldest() }
      values[key] = newValue
      if newValue == nil { lastUse[key] = nil } else { use(key) }
    }
  }

  /// The value of a key, made when it is not there.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = make()
    self[key] = value
    return value
  }

  /// Changes every value in place; one for which the closure returns `false` goes.
  mutating func updateAll(_ body: (inout Value) -> Bool) {
    for key in Array(values.keys) {
      // Taken out while it changes, so that the change does not copy it.
      guard var value = values.removeValue(forKey: key) else { continue }
      if body(&value) { values[key] = value } else { lastUse[key] = nil }
    }
  }

  private mutating func use(_ key: Key) {
    uses += 1
    lastUse[key] = uses
  }

  private mutating func removeOldest() {
    guard let oldest = lastUse.min(by: { $0.value < $1.value })?.key else { return }
    values[oldest] = nil
    lastUse[oldest] = nil
  }
}
