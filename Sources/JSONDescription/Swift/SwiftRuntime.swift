/// The parts of a generated file that are the same for all data.
struct SwiftRuntime {
  /// The name of the client's type.
  let clientName: String
  let access: SwiftAccess
  let usesDates: Bool
  /// Whether the client signs in.
  let signsIn: Bool

  /// The access modifier of a declaration.
  var open: String { access.prefix }
  /// The modifiers of a type.
  var openType: String { access.typePrefix }

  var imports: String {
    """
    \(open)import Foundation

    #if canImport(FoundationNetworking)
      \(open)import FoundationNetworking
    #endif
    """
  }

  /// How the client sends and receives.
  var requests: String {
    """
    nonisolated extension \(clientName) {
      /// Sends a request and returns the response's body and head.
      ///
      /// - Throws: ``ResourceError`` when the status is not a success, `URLError` when there is no response.
      fileprivate func send(
        _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
      ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let version { request.setValue(version, forHTTPHeaderField: "If-Match") }
        if let body {
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    \(usesDates ? "      encoder.dateEncodingStrategy = .internetDateTime\n" : "")\
          request.httpBody = try encoder.encode(body)
          request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        \(signsIn ? "let (data, response) = try await sendWithTokens(request)" : "let (data, response) = try await transmit(request)")
        guard 200..<300 ~= response.statusCode else { throw ResourceError(response.statusCode, data) }
        return (data, response)
      }

      /// Sends a request and returns the value in the response's body.
      fileprivate func receive<Answer: Decodable>(
        _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
      ) async throws -> Answer {
        try Self.decode(await send(method, url, ifMatch: version, body: body).0)
      }

      fileprivate func transmit(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
      }

      fileprivate func url(_ path: String, query: [(String, String)] = []) throws -> URL {
        var address = baseURL.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        address += path
        if !query.isEmpty {
          let pairs = query.map { "\\($0.percentEncoded)=\\($1.percentEncoded)" }
          address += "?" + pairs.joined(separator: "&")
        }
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        return url
      }

      fileprivate static func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
        let decoder = JSONDecoder()
    \(usesDates ? "    decoder.dateDecodingStrategy = .internetDateTime\n" : "")\
        return try decoder.decode(Answer.self, from: data)
      }
    }

    nonisolated extension String {
      /// The text as it may stand anywhere in a URL's path or query.
      fileprivate var percentEncoded: String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain)) ?? self
      }
    }
    """
  }

  var error: String {
    """
    /// An error that the server responds with.
    \(openType)struct ResourceError: Error, Sendable, Hashable {
      /// The status of the response, such as 404.
      \(open)let statusCode: Int
      /// The message of the server.
      \(open)let message: String

      fileprivate init(_ statusCode: Int, _ body: Data) {
        struct Body: Decodable { var message: String }
        self.statusCode = statusCode
        let error = try? JSONDecoder().decode(Body.self, from: body)
        message = error?.message ?? String(decoding: body, as: UTF8.self)
      }
    }

    nonisolated extension ResourceError: LocalizedError {
      \(open)var errorDescription: String? { message }
    }
    """
  }

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
              in: container, debugDescription: "\\(text) is not a date and time.")
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

  /// A change of a value that may be null.
  var patchValue: String {
    """
    /// The change of a value that may be null: `deletedAt: .null`, `deletedAt: .set(date)`.
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
      /// Tells null from a missing member.
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
