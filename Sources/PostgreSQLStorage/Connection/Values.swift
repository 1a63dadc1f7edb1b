#if PostgreSQL
  import CPostgreSQL
  import JSONServerValues

  /// A parameter of a statement, as text. No value is ever written into the statement itself.
  struct Parameter {
    /// `nil` for null.
    let bytes: [UInt8]?

    static func bigint(_ value: Int) -> Parameter { text("\(value)") }

    static func text(_ value: String) -> Parameter { Parameter(bytes: Array(value.utf8)) }

    static func optional(_ value: String?) -> Parameter { value.map(text) ?? Parameter(bytes: nil) }

    /// A `bigint[]`.
    static func bigints(_ values: some Collection<Int>) -> Parameter {
      text("{\(values.map { "\($0)" }.joined(separator: ","))}")
    }

    /// A `text[]` or `json[]`, whose elements may be null.
    static func texts(_ texts: [UTF8Slice?]) -> Parameter {
      let (quote, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
      var output = Array("{".utf8)
      output.reserveCapacity(texts.reduce(2) { $0 + ($1?.count ?? 0) * 5 / 4 + 5 })
      for (index, text) in texts.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        guard let text else {
          output += "NULL".utf8
          continue
        }
        output.append(quote)
        text.withBytes { bytes in
          for byte in bytes {
            if byte == quote || byte == escape { output.append(escape) }
            output.append(byte)
          }
        }
        output.append(quote)
      }
      output.append(UInt8(ascii: "}"))
      return Parameter(bytes: output)
    }
  }

  /// The rows of a result, as text.
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
    func withBytes<Result>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
      guard row < count, PQgetisnull(result, Int32(row), Int32(column)) == 0 else { return nil }
      let length = Int(PQgetlength(result, Int32(row), Int32(column)))
      return body(UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length))
    }

    func integer(_ row: Int, _ column: Int) -> Int? { text(row, column).flatMap { Int($0) } }

    func bool(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

    func text(_ row: Int, _ column: Int) -> String? { withBytes(row, column) { String(decoding: $0, as: UTF8.self) } }

    func slice(_ row: Int, _ column: Int) -> UTF8Slice? {
      withBytes(row, column) { UTF8Slice(UTF8Buffer(copying: $0.bindMemory(to: UInt8.self))) }
    }
  }
#endif
