import HTTPTypes

/// What a request is matched by, whoever asks: a fault, a canned answer or a test's expectation.
package struct EffectiveRoute: Sendable, Hashable {
  /// The method that the request is answered for, an override taken into account.
  let method: HTTPRequest.Method
  /// The target that the request is answered for, rewritten.
  let target: String
  /// The target before it was rewritten, below the path under which the server is mounted.
  let mountedTarget: String
}

extension Call {
  var route: EffectiveRoute {
    EffectiveRoute(method: request.method, target: request.target, mountedTarget: mountedTarget)
  }
}
