package import JSONDatabase
import JSONServerHTTP

/// A change of the data, for subscribers.
package enum DataChange: Sendable {
  case created(String, WrittenRecord)
  case updated(String, [WrittenRecord])
  case deleted(String, ids: [String], dependents: [String: Int])
  /// A resource whose change is not described; subscribers read it again.
  case reloaded(String)
  /// All data was replaced; has the names of the resources before and after.
  case replaced([String])
}
