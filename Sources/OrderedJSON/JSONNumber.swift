/// A JSON number that keeps the text it was written with.
///
/// `1.0`, `1e3` and `12345678901234567890` stay as they are; arithmetic is the caller's, on ``doubleValue`` or
/// ``integerValue``. Numbers are equal when their texts are: `1` and `1.0` are not.
public struct JSONNumber: Sendable, Hashable {
  /// The number as it stands in the JSON text.
  public let text: String

  /// Creates a number from JSON number text that is known to be valid.
  package init(validated text: String) {
    self.text = text
  }

  /// Creates a number from an integer.
  public init(_ value: some BinaryInteger) {
    text = String(value)
  }

  /// Creates a number from a double, written as JavaScript writes it; `nil` for infinities and NaN, which JSON lacks.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = JavaScriptNumber.text(of: value)
  }

  /// The nearest double; infinite when the text is out of a double's range.
  public var doubleValue: Double {
    Double(text) ?? .nan
  }

  /// The value as an integer when the text is one that fits, else `nil`.
  public var integerValue: Int? {
    Int(text)
  }
}
