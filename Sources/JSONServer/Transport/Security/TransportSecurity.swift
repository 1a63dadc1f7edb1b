import NIOConcurrencyHelpers
import NIOCore

/// What a server's connections are encrypted with.
final class TransportSecurity: Sendable {
  /// Reports what a person should know.
  private let report: @Sendable (String) -> Void

  private let identity: TLSIdentity
  private let now: @Sendable () -> Double
  private let context: NIOLockedValueBox<TLSContext>
  private let limit = NIOLockedValueBox(ReportLimit())

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - now: The time in seconds since 1970.
  ///   - report: Called with what a person should know.
  /// - Throws: ``ServerError`` that names the file that cannot be used, or says how to get HTTPS.
  init(
    _ identity: TLSIdentity, now: @escaping @Sendable () -> Double = { System.now },
    report: @escaping @Sendable (String) -> Void
  ) throws(ServerError) {
    self.identity = identity
    self.now = now
    self.report = report
    context = NIOLockedValueBox(try TLSContext.load(identity))
    warnOfExpiry()
  }

  /// Reads the files again, for the connections that are made from now on.
  ///
  /// - Throws: ``ServerError`` that names the file that cannot be used; what was read before stays in use.
  func reload() throws(ServerError) {
    let new = try TLSContext.load(identity)
    context.withLockedValue { $0 = new }
    warnOfExpiry()
  }

  /// Makes the handlers that a connection decrypts and encrypts with.
  ///
  /// - Parameter timeout: How long the client's handshake may take.
  func handlers(timeout: Duration) -> [any ChannelHandler] {
    context.withLockedValue { $0 }.handlers(timeout: timeout) { self.reportRefusal($0) }
  }

  /// Reports why a client was refused, unless that has happened too often within the minute: one that tries again and
  /// again fills no log.
  func reportRefusal(_ message: String) {
    guard let message = limit.withLockedValue({ $0.admit(message, at: now()) }) else { return }
    report(message)
  }

  private func warnOfExpiry() {
    let expiry = context.withLockedValue { $0.expiry }
    guard Double(expiry) < now() else { return }
    report("\(identity.certificatePath): the certificate has expired; clients will refuse it.")
  }
}
