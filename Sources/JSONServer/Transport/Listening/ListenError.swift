/// Why a server cannot listen.
struct ListenError: Error, CustomStringConvertible {
  enum Code: Sendable, Hashable {
    case portInUse
    case permissionDenied
    case unknownHost
    case other
  }

  let code: Code
  /// What is wrong and what to do, with the address.
  let message: String
  /// What the system reported.
  let cause: any Error

  var description: String { message }
}
