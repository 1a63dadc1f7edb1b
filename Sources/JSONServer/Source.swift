public import OrderedJSON

/// Where a server's data comes from, and whether changes go back there.
public enum Source: Sendable {
  /// A JSON file, or a JSON5 file by its suffix; changes are written back.
  case file(String)
  /// A directory of JSON files, one for each resource; each is written back to its own file.
  case directory(String)
  /// A value in memory; its members are the resources, and nothing is written.
  case value(JSONValue)
  /// JSON text in memory, such as the output of a program or a download; nothing is written.
  case text([UInt8], name: String)
}
