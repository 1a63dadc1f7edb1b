import HTTPTypes
import OrderedJSON

extension Fault {
  /// What the request is answered with instead of being carried out; `nil` when it is only delayed.
  var response: Response? {
    guard status != nil || body != nil || action != nil || retryAfter != nil || !headerFields.isEmpty else {
      return nil
    }
    let status = (status ?? (retryAfter == nil ? .ok : .tooManyRequests)).withPhrase
    var response: Response
    if let body {
      response = .json(body, status: status)
    } else if status.code >= 400 || action == .truncate {
      response = HTTPError(status, "This answer was asked for with a fault; see /__admin/faults.").response()
    } else {
      response = Response(status: status)
    }
    if let retryAfter { response.headerFields[.retryAfter] = String(retryAfter) }
    response.headerFields.replace(with: headerFields)
    switch action {
    case .hang: response.delivery = .hang
    case .reset: response.delivery = .reset
    case .truncate: response.delivery = .truncated(after: response.bytes.count / 2)
    case nil: break
    }
    return response
  }

  /// How long a request waits.
  func delay(_ random: () -> UInt64) -> Duration? {
    guard let delay else { return nil }
    let span = UInt64(max((delay.upperBound - delay.lowerBound) / .milliseconds(1), 0))
    return delay.lowerBound + .milliseconds(span == 0 ? 0 : Int64(random() % (span + 1)))
  }
}
