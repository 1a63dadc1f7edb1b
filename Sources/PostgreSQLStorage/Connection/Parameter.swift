import JSONServerValues

#if PostgreSQL
  /// A parameter of a statement, in PostgreSQL's binary form: nothing is ever written into the statement's text.
  struct Parameter {
    private static let (json, integer, bigInteger, string): (UInt32, UInt32, UInt32, UInt32) = (114, 23, 20, 25)

    /// `nil` for null.
    let bytes: [UInt8]?

    static func bigint(_ value: Int) -> Parameter { Parameter(bytes: bigEndian(Int64(value))) }

    static func text(_ value: String) -> Parameter { Parameter(bytes: Array(value.utf8)) }

    static func optional(_ value: String?) -> Parameter { value.map(text) ?? Parameter(bytes: nil) }

    static func bool(_ value: Bool) -> Parameter { Parameter(bytes: [value ? 1 : 0]) }

    /// An `int[]`.
    static func integers(_ values: some Collection<Int>) -> Parameter {
      array(of: integer, count: values.count) { output in
        for value in values {
          output += bigEndian(Int32(4))
          output += bigEndian(Int32(truncatingIfNeeded: value))
        }
      }
    }

    /// A `bigint[]`.
    static func bigIntegers(_ values: some Collection<Int>) -> Parameter {
      array(of: bigInteger, count: values.count) { output in
        for value in values {
          output += bigEndian(Int32(8))
          output += bigEndian(Int64(value))
        }
      }
    }

    /// A `text[]`.
    static func texts(_ values: [String]) -> Parameter { slices(values.map { UTF8Slice($0) }, of: string) }

    /// A `json[]`, whose elements may be null.
    static func documents(_ texts: [UTF8Slice?]) -> Parameter { slices(texts, of: json) }

    private static func slices(_ texts: [UTF8Slice?], of type: UInt32) -> Parameter {
      array(of: type, count: texts.count) { output in
        for text in texts {
          output += bigEndian(Int32(truncatingIfNeeded: text?.count ?? -1))
          text?.withBytes { output += $0 }
        }
      }
    }

    private static func array(of type: UInt32, count: Int, _ append: (inout [UInt8]) -> Void) -> Parameter {
      // One dimension, perhaps with nulls, of elements of the type, from 1 on.
      var output = bigEndian(Int32(count == 0 ? 0 : 1)) + bigEndian(Int32(1)) + bigEndian(type)
      if count > 0 {
        output += bigEndian(Int32(truncatingIfNeeded: count)) + bigEndian(Int32(1))
        append(&output)
      }
      return Parameter(bytes: output)
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
  }
#endif
