extension SwiftRuntime {
  /// Dates as RFC 3339 writes them, with fractional seconds and without.
  var dates: String {
    """
    nonisolated extension JSONDecoder.DateDecodingStrategy {
      /// Dates such as `2024-05-01T12:30:00Z` and `2024-05-01T12:30:00.123+02:00`.
      fileprivate static var internetDateTime: Self {
        .custom { decoder in
          let container = try decoder.singleValueContainer()
          let text = try container.decode(String.self)
          let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
          guard let date = try? style.parse(text) else {
            throw DecodingError.dataCorruptedError(
              in: container, debugDescription: "\\(text) is no date and time.")
          }
          return date
        }
      }
    }

    nonisolated extension JSONEncoder.DateEncodingStrategy {
      /// Dates in UTC, with milliseconds when there are any.
      fileprivate static var internetDateTime: Self {
        .custom { date, encoder in
          let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
          let rounded = Date(timeIntervalSinceReferenceDate: milliseconds / 1000)
          let isWhole = milliseconds.truncatingRemainder(dividingBy: 1000) == 0
          let style = Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)
          var container = encoder.singleValueContainer()
          try container.encode(rounded.formatted(style))
        }
      }
    }
    """
  }

  /// What a patch does to a value that may be null.
  var patchValue: String {
    """
    /// What a change makes of a value that may be null: `deletedAt: .null`, `deletedAt: .set(date)`.
    \(openType)enum PatchValue<
      Value: Codable & Sendable & Hashable
    >: Codable, Sendable, Hashable {
      case null
      case set(Value)

      /// Null when there is no value.
      \(open)init(_ value: Value?) {
        self = value.map { .set($0) } ?? .null
      }

      \(open)init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .set(try container.decode(Value.self))
      }

      \(open)func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .set(let value): try container.encode(value)
        }
      }
    }

    nonisolated extension KeyedDecodingContainer {
      /// Tells null from what is not there.
      fileprivate func decodeIfPresent<Value>(
        _ type: PatchValue<Value>.Type, forKey key: Key
      ) throws -> PatchValue<Value>? {
        contains(key) ? try decode(type, forKey: key) : nil
      }
    }
    """
  }

  /// A value whose type differs from record to record.
  var anyJSON: String {
    """
    /// A JSON value of any type.
    \(openType)enum AnyJSON: Codable, Sendable, Hashable {
      case null
      case bool(Bool)
      case integer(Int)
      case number(Double)
      /// A number of more digits than a `Double` has.
      case decimal(Decimal)
      case string(String)
      case array([AnyJSON])
      case object([String: AnyJSON])

      \(open)init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
          self = .null
        } else if let value = try? container.decode(Bool.self) {
          self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
          self = .integer(value)
        } else if let value = try? container.decode(Decimal.self),
          value.magnitude > 9_007_199_254_740_992
        {
          self = .decimal(value)
        } else if let value = try? container.decode(Double.self) {
          self = .number(value)
        } else if let value = try? container.decode(String.self) {
          self = .string(value)
        } else if let value = try? container.decode([AnyJSON].self) {
          self = .array(value)
        } else {
          self = .object(try container.decode([String: AnyJSON].self))
        }
      }

      \(open)func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
      }
    }

    nonisolated extension AnyJSON: CustomStringConvertible {
      /// The value as an address names it.
      \(open)var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .decimal(let value): value.description
        case .string(let value): value
        case .array(let value): value.map(\\.description).joined(separator: ",")
        case .object(let value): String(describing: value)
        }
      }
    }
    """
  }
}
