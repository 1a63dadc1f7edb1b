#if PostgreSQL
  import CPostgreSQL
  import JSONServerValues

  /// A parameter of a statement, in PostgreSQL's binary form: nothing is ever written into the statement's text.
  struct Parameter {
    private static let (json, bigInteger, string): (UInt32, UInt32, UInt32) = (114, 20, 25)

    /// `nil` for null.
    let bytes: [UInt8]?

    static func bigint(_ value: Int) -> Parameter { Parameter(bytes: bigEndian(Int64(value))) }

    static func text(_ value: String) -> Parameter { Parameter(bytes: Array(value.utf8)) }

    static func optional(_ value: String?) -> Parameter { value.map(text) ?? Parameter(bytes: nil) }

    /// A `bigint[]`.
    static func bigints(_ values: some Collection<Int>) -> Parameter {
      array(of: bigInteger, values) { value, output in
        output += bigEndian(Int32(8))
        output += bigEndian(Int64(value))
      }
    }

    /// A `text[]`.
    static func texts(_ values: [UTF8Slice]) -> Parameter { array(of: string, values, append) }

    /// A `json[]`, whose elements may be null.
    static func documents(_ texts: [UTF8Slice?]) -> Parameter { array(of: json, texts, append) }

    private static func append(_ text: UTF8Slice?, to output: inout [UInt8]) {
      output += bigEndian(Int32(truncatingIfNeeded: text?.count ?? -1))
      text?.withBytes { output += $0 }
    }

    private static func array<Elements: Collection>(
      of type: UInt32, _ elements: Elements, _ append: (Elements.Element, inout [UInt8]) -> Void
    ) -> Parameter {
      // One dimension, perhaps with nulls, of elements of the type, from 1 on.
      var output = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(1)) + bigEndian(type)
      if !elements.isEmpty { output += bigEndian(Int32(truncatingIfNeeded: elements.count)) + bigEndian(Int32(1)) }
      for element in elements { append(element, &output) }
      return Parameter(bytes: output)
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
  }

  /// The rows of an answer, in binary form.
  final class ResultRows {
    private let result: OpaquePointer?

    init(_ result: OpaquePointer?) {
      self.result = result
    }

    deinit {
      PQclear(result)
    }

    var count: Int { Int(PQntuples(result)) }

    /// The bytes of a field; `nil` for null.
    private func withBytes<Result>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
      guard row < count, PQgetisnull(result, Int32(row), Int32(column)) == 0 else { return nil }
      let length = Int(PQgetlength(result, Int32(row), Int32(column)))
      return body(UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length))
    }

    /// An integer of any width.
    func integer(_ row: Int, _ column: Int) -> Int? { withBytes(row, column) { $0.bigEndianInteger } }

    func bool(_ row: Int, _ column: Int) -> Bool? { withBytes(row, column) { $0.first == 1 } }

    func text(_ row: Int, _ column: Int) -> String? { withBytes(row, column) { String(decoding: $0, as: UTF8.self) } }

    func slice(_ row: Int, _ column: Int) -> UTF8Slice? {
      withBytes(row, column) { UTF8Slice(UTF8Buffer(copying: $0.bindMemory(to: UInt8.self))) }
    }
  }

  extension UnsafeRawBufferPointer {
    /// A signed integer of 1 to 8 bytes, the highest first.
    var bigEndianInteger: Int {
      let isNegative = (first ?? 0) & 0x80 != 0
      return prefix(8).reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }
  }
#endif
