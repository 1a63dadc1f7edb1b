import JSONDatabase

/// A change of the data, for those who watch.
enum DataChange: Sendable {
  case created(String, WrittenRecord)
  case updated(String, WrittenRecord)
  case deleted(String, id: String, dependents: [String: Int])
  /// A resource changed in a way that is best seen by reading it again.
  case reloaded(String)
  /// All data was replaced; the names of the resources before and after.
  case replaced([String])
}
