import HTTPTypes
package import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers

/// What may happen to a request on its way through a bad network.
public enum NetworkCondition: String, Sendable, Hashable, CaseIterable, Encodable {
  /// The connection ends, and nothing is carried out.
  case lostBefore = "lost-before"
  /// The request is carried out and stored, and the connection ends before the response.
  case lostAfter = "lost-after"
  /// The request is carried out twice, as by a proxy that repeats it.
  case twice
  /// The connection ends in the middle of the response.
  case cut
  /// The response comes after that of the next request, at most a second later.
  case late
  /// The server is unavailable for this request and the next one of its kind.
  case unavailable = "503"
  /// The client sends too many requests.
  case tooManyRequests = "429"
  /// The client's credentials have expired.
  case unauthorized = "401"
  /// A hotel's sign-in page comes in place of the response.
  case html

  /// What happens, in a few words.
  public var description: String {
    switch self {
    case .lostBefore: "the connection ends before the request arrives"
    case .lostAfter: "the response is lost after the request is carried out"
    case .twice: "the request is carried out twice"
    case .cut: "the connection ends in the middle of the response"
    case .late: "the response comes after that of the next request"
    case .unavailable: "503, twice"
    case .tooManyRequests: "429"
    case .unauthorized: "401"
    case .html: "a page of HTML instead of the response"
    }
  }

  /// Whether the condition can meet a request.
  func applies(to exchange: Exchange) -> Bool {
    switch self {
    case .twice: !exchange.request.isSafe
    case .cut: exchange.request.method != .head && exchange.response.map { !$0.bytes.isEmpty } == true
    case .unauthorized:
      exchange.request.headerFields.contains(.authorization) || exchange.request.headerFields.contains(.cookie)
    case .lostBefore, .lostAfter, .late, .unavailable, .tooManyRequests, .html: true
    }
  }

  /// The number of requests of the same kind that the condition meets.
  fileprivate var count: Int { self == .unavailable ? 2 : 1 }
}

/// Disturbs one request of a run.
package final class Disturbance: Middleware {
  package let request: NetworkRehearsal.Request
  package let condition: NetworkCondition
  private let routes: NetworkRehearsal.Routes

  private struct State {
    var isOver = false
    var isMet = false
    /// The number of requests of the disturbed one's kind so far.
    var count = 0
    /// Tells a late response that another response was sent.
    var untilSent: AsyncStream<Void>.Continuation?
  }

  private let state = NIOLockedValueBox(State())

  init(_ condition: NetworkCondition, of request: NetworkRehearsal.Request, _ routes: NetworkRehearsal.Routes) {
    (self.condition, self.request, self.routes) = (condition, request, routes)
  }

  /// Whether a request was disturbed.
  package var isMet: Bool { state.withLockedValue { $0.isMet } }

  /// Leaves all further requests alone.
  package func end() { state.withLockedValue { $0.isOver = true } }

  package func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    let late = state.withLockedValue { $0.untilSent }
    guard let kind = routes.kind(of: request), kind == self.request.kind, meetsNext() else {
      var response = try await next(request)
      if let late { response.onSending = { late.finish() } }
      return response
    }
    return try await disturbed(request, next)
  }

  private func meetsNext() -> Bool {
    state.withLockedValue { state in
      state.count += 1
      let first = request.number
      guard !state.isOver, first..<first + condition.count ~= state.count else { return false }
      state.isMet = true
      return true
    }
  }

  private func disturbed(
    _ request: Request, _ next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    switch condition {
    case .lostBefore: return .reset
    case .lostAfter:
      var response = try await next(request)
      response.delivery = .lost
      return response
    case .twice:
      let response = try await next(request)
      _ = try await next(request)
      return response
    case .cut:
      var response = try await next(request)
      if case .bytes(let bytes) = response.content { response.delivery = .truncated(after: bytes.count / 2) }
      return response
    case .late:
      let (others, other) = AsyncStream.makeStream(of: Void.self)
      state.withLockedValue { $0.untilSent = other }
      let response = try await next(request)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for await _ in others {}
          // The client takes the other response first, even on a busy machine.
          try? await Task.sleep(for: .milliseconds(100))
        }
        group.addTask { try? await Task.sleep(for: .seconds(1)) }
        await group.next()
        group.cancelAll()
      }
      state.withLockedValue { $0.untilSent = nil }
      return response
    case .unavailable: return Self.refusal(503, "Service Unavailable", ["Retry-After": "1"])
    case .tooManyRequests: return Self.refusal(429, "Too Many Requests", ["Retry-After": "1"])
    case .unauthorized: return Self.refusal(401, "Unauthorized", ["WWW-Authenticate": "Bearer"])
    case .html:
      return .text(
        "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Sign in to the hotel's Wi-Fi</h1></body></html>\n",
        type: "text/html; charset=utf-8")
    }
  }

  private static func refusal(_ status: Int, _ error: String, _ headers: KeyValuePairs<String, String>) -> Response {
    .json(["statusCode": JSONValue(status), "error": .string(error)], status: status, headers: headers)
  }
}
