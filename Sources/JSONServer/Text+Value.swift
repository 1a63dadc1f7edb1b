import OrderedJSON

extension Text {
  /// The value that the text, which is JSON, stands for.
  var value: JSONValue {
    withBytes { JSONValue(validated: $0, from: JSONSyntax.endOfByteOrderMark(in: $0)) }
  }
}
