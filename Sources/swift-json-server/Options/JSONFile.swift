import JSONServer
import OrderedJSON

/// The small JSON files that a person writes for the server: settings and rewrite rules.
enum JSONFile {
  /// Reads a file that holds an object.
  ///
  /// - Throws: ``CommandFailure`` that names the file, and the place of a fault.
  static func object(at path: String) throws(CommandFailure) -> JSONObject {
    guard let text = FileText.contents(of: path) else {
      throw CommandFailure(.usage, "\(path): the file cannot be read; check its name and its permissions.")
    }
    return try object(parsing: text, path: path)
  }

  static func object(parsing text: [UInt8], path: String) throws(CommandFailure) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(
        .usage, "\(path):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
    }
    guard let object = value.object else {
      throw CommandFailure(.usage, "\(path):1:1: the file must hold a JSON object, such as {}.")
    }
    return object
  }
}
