import NIOConcurrencyHelpers
import NIOCore

/// The certificate and the key of a server's connections.
package final class TransportSecurity: Sendable {
  /// Reports warnings.
  private let report: @Sendable (String) -> Void

  private let identity: TLSIdentity
  private let now: @Sendable () -> Double
  private let context: NIOLockedValueBox<TLSContext>
  private let limit = NIOLockedValueBox(ReportLimit())

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - now: The time in seconds since 1970.
  ///   - report: Called with warnings.
  /// - Throws: ``ServerError`` that names the invalid file, or says how to get HTTPS.
  package init(
    _ identity: TLSIdentity, now: @escaping @Sendable () -> Double = { System.now },
    report: @escaping @Sendable (String) -> Void
  ) throws(ServerError) {
    self.identity = identity
    self.now = now
    self.report = report
    context = NIOLockedValueBox(try TLSContext.load(identity))
    warnOfExpiry()
  }

  /// Reads the files again, for new connections.
  ///
  /// - Throws: ``ServerError`` that names the invalid file; the old certificate stays in use.
  package func reload() throws(ServerError) {
    let new = try TLSContext.load(identity)
    context.withLockedValue { $0 = new }
    warnOfExpiry()
  }

  /// Makes the handlers for the encryption of a connection.
  ///
  /// - Parameter timeout: How long the client's handshake may take.
  func handlers(timeout: Duration) -> [any ChannelHandler] {
    context.withLockedValue { $0 }.handlers(timeout: timeout) { self.reportRefusal($0) }
  }

  /// Reports why a client was refused, a few times per minute, so that a client that keeps trying does not fill the
  /// log.
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

/// Passes on a few reports per minute, and counts the others.
struct ReportLimit {
  /// The largest number of reports per minute.
  static let perMinute = 10

  private var minuteStart = -Double.infinity
  private var admitted = 0
  private var heldBack = 0

  /// Decides about a report.
  ///
  /// - Parameter now: The time in seconds; a clock that is set back begins a new minute.
  /// - Returns: The report, with the number of skipped ones before it; `nil` when this one is skipped.
  mutating func admit(_ report: String, at now: Double) -> String? {
    if !(0..<60).contains(now - minuteStart) { (minuteStart, admitted) = (now, 0) }
    guard admitted < Self.perMinute else {
      heldBack += 1
      return nil
    }
    admitted += 1
    defer { heldBack = 0 }
    return heldBack == 0 ? report : "\(report) Before it, \(heldBack) more were not reported."
  }
}

/// A text file with a certificate or a private key (RFC 7468).
struct PEMFile {
  let path: String
  let bytes: [UInt8]

  /// The largest size of a file; certificates have a few kilobytes each.
  private static let maximumBytes = 1 << 20

  /// - Throws: ``ServerError`` that names the file and what it is instead.
  private init(
    _ path: String, holds content: String, not other: String, orConvertBy command: String
  ) throws(ServerError) {
    func failure(_ reason: String) -> ServerError { ServerError(.invalidConfiguration, "\(path): \(reason)") }
    guard OpenFile.Identity(path: path) != nil else { throw failure("there is no such file; check the name.") }
    guard let file = OpenFile(path: path) else { throw failure("the file cannot be read; check its permissions.") }
    guard file.isRegular, file.size <= Self.maximumBytes else {
      throw failure("this is not a PEM file; check the name.")
    }
    self.path = path
    bytes = file.read(from: 0, count: file.size)
    if holds("\(content.uppercased())-----") { return }
    if holds("\(other.uppercased())-----") {
      throw failure("this is a \(other) and no \(content); the certificate and the key may be exchanged.")
    }
    if holds("-----BEGIN ") { throw failure("it holds no \(content); check the name.") }
    throw failure("this is not a PEM file; if it holds a \(content) in another form, convert it, as with \(command).")
  }

  /// Reads a file with a certificate.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func certificate(_ path: String) throws(ServerError) -> PEMFile {
    try PEMFile(path, holds: "certificate", not: "private key", orConvertBy: "openssl x509 -inform der")
  }

  /// Reads a file with a private key.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func privateKey(_ path: String) throws(ServerError) -> PEMFile {
    let file = try PEMFile(path, holds: "private key", not: "certificate", orConvertBy: "openssl pkey -inform der")
    guard !file.holds("ENCRYPTED") else {
      throw ServerError(
        .invalidConfiguration, "\(path): the private key is encrypted; decrypt it with openssl pkey.")
    }
    return file
  }

  /// The error of a file whose content does not match its label.
  func isInvalid(_ content: String) -> ServerError {
    ServerError(.invalidConfiguration, "\(path): the \(content) in it is not valid; make a new one.")
  }

  private func holds(_ text: String) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
  }
}
