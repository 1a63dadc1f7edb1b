import NIOConcurrencyHelpers
import NIOCore

/// The certificate and the key of a server's connections.
final class TransportSecurity: Sendable {
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

  /// Reads the files again, for new connections.
  ///
  /// - Throws: ``ServerError`` that names the invalid file; the old certificate stays in use.
  func reload() throws(ServerError) {
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

  private init(path: String) throws(ServerError) {
    guard OpenFile.Identity(path: path) != nil else {
      throw ServerError(.invalidConfiguration, "\(path): there is no such file; check the name.")
    }
    guard let file = OpenFile(path: path) else {
      throw ServerError(.invalidConfiguration, "\(path): the file cannot be read; check its permissions.")
    }
    guard file.isRegular, file.size <= Self.maximumBytes else {
      throw ServerError(.invalidConfiguration, "\(path): this is not a PEM file; check the name.")
    }
    self.path = path
    bytes = file.read(from: 0, count: file.size)
  }

  /// Reads a file with a certificate.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func certificate(_ path: String) throws(ServerError) -> PEMFile {
    let file = try PEMFile(path: path)
    try file.check(holds: "certificate", not: "private key", orConvertBy: "openssl x509 -inform der")
    return file
  }

  /// Reads a file with a private key.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func privateKey(_ path: String) throws(ServerError) -> PEMFile {
    let file = try PEMFile(path: path)
    if file.holds("ENCRYPTED") {
      throw ServerError(
        .invalidConfiguration,
        "\(path): the private key is encrypted; decrypt it with openssl pkey.")
    }
    try file.check(holds: "private key", not: "certificate", orConvertBy: "openssl pkey -inform der")
    return file
  }

  private func check(
    holds content: String, not other: String, orConvertBy command: String
  ) throws(ServerError) {
    if holds("\(content.uppercased())-----") { return }
    guard holds("\(other.uppercased())-----") else { throw failure(content, command: command) }
    throw ServerError(
      .invalidConfiguration,
      "\(path): this is a \(other) and no \(content); the certificate and the key may be exchanged.")
  }

  /// The error of a file whose content does not match its label.
  func isInvalid(_ content: String) -> ServerError {
    ServerError(.invalidConfiguration, "\(path): the \(content) in it is not valid; make a new one.")
  }

  private func failure(_ content: String, command: String) -> ServerError {
    let message =
      holds("-----BEGIN ")
      ? "it holds no \(content); check the name."
      : "this is not a PEM file; if it holds a \(content) in another form, convert it, as with \(command)."
    return ServerError(.invalidConfiguration, "\(path): \(message)")
  }

  private func holds(_ text: String) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
  }
}
