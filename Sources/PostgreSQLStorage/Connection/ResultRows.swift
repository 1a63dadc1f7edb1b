#if PostgreSQL
  import CPostgreSQL
  import JSONServerValues

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
    func integer(_ row: Int, _ column: Int) -> Int? {
      withBytes(row, column) { $0.bigEndianInteger }
    }

    func bool(_ row: Int, _ column: Int) -> Bool? {
      withBytes(row, column) { $0.first == 1 }
    }

    func text(_ row: Int, _ column: Int) -> String? {
      withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

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
