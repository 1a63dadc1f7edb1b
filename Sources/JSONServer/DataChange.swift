import JSONDatabase
import OrderedJSON

/// A change of the data, for those who watch.
enum DataChange: Sendable {
  case created(String, WrittenRecord)
  case updated(String, WrittenRecord)
  case deleted(String, id: String, record: Text, dependents: [String: Int])
  /// A resource changed in a way that is best seen by reading it again.
  case reloaded(String)

  var resource: String {
    switch self {
    case .created(let name, _), .updated(let name, _), .deleted(let name, _, _, _), .reloaded(let name): name
    }
  }
}
