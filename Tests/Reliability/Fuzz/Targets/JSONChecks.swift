import JSONDatabase
import JSONServerValues

/// What must hold of the readers of JSON and JSON5.
enum JSONChecks {
  /// Accepted text is UTF-8, comes out of the database byte for byte, and keeps its value in any layout.
  static func checkJSON(_ bytes: UnsafeBufferPointer<UInt8>) {
    let scanned = try? ValidJSON(parsing: Array(bytes))
    let value = try? JSONValue(parsing: Array(bytes))
    precondition((scanned == nil) == (value == nil), "the scanner and the tree differ on what is JSON")
    checkLoading(bytes, isJSON: scanned != nil)
    guard let scanned, let value else { return }
    precondition(String(validating: bytes, as: UTF8.self) != nil, "what is not UTF-8 is accepted")
    precondition(JSONValue(scanned) == value, "walking the text gives another value")
    for layout in [JSONLayout.compact, .pretty] {
      var laidOut: [UInt8] = []
      JSONFormatter(layout).append(scanned, to: &laidOut)
      precondition((try? JSONValue(parsing: laidOut)) == value, "a layout changes the value")
      precondition((try? JSONValue(parsing: value.utf8Text(layout))) == value, "the tree's text is another value")
    }
  }

  /// What the database accepts is JSON that it would write as it was read; what the validator passes, it accepts.
  private static func checkLoading(_ bytes: UnsafeBufferPointer<UInt8>, isJSON: Bool) {
    let text = UTF8Slice(Array(bytes))
    let findings = Validator().findings(in: text)
    let database = try? Database(parsing: text, ids: IDGenerator { "1" })
    precondition(
      (database == nil) == findings.contains { $0.severity == .error }, "the validator and the database differ")
    guard let database else { return }
    precondition(isJSON, "the database accepts what is no JSON")
    precondition(database.text.bytes.elementsEqual(bytes), "an untouched file is written otherwise than it was read")
  }

  /// JSON is JSON5 of the same value, and what comes out of JSON5 is JSON.
  static func checkJSON5(_ bytes: UnsafeBufferPointer<UInt8>) {
    let converted = try? JSON5.json(from: bytes)
    let value = try? JSONValue(parsing: Array(bytes))
    if let converted {
      let again = converted.withUnsafeBufferPointer { try? JSON5.json(from: $0) }
      precondition(again == converted, "what is converted already is converted again")
      precondition((try? JSONValue(parsing: converted)) != nil, "JSON5 becomes what is no JSON")
    }
    if let value {
      precondition(converted.flatMap { try? JSONValue(parsing: $0) } == value, "JSON is other JSON5")
    }
  }
}
