/// Why a server cannot listen.
package struct ListenError: Error, CustomStringConvertible {
  package enum Code: Sendable, Hashable {
    case portInUse
    case permissionDenied
    case unknownHost
    case other
  }

  package let code: Code
  /// What is wrong and what to do, with the address.
  package let message: String
  /// What the system said.
  package let cause: any Error

  package var description: String { message }
}
