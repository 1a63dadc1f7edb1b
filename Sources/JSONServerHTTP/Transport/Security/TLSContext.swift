#if HTTPS
  import NIOCore
  import NIOSSL
  import NIOTLS

  /// A certificate with its key, ready for connections.
  struct TLSContext: Sendable {
    /// When the certificate expires, in seconds since 1970.
    let expiry: Int

    private let context: NIOSSLContext

    /// Reads the files.
    ///
    /// - Throws: ``ServerError`` that names the invalid file.
    static func load(_ identity: TLSIdentity) throws(ServerError) -> TLSContext {
      let certificateFile = try PEMFile.certificate(identity.certificatePath)
      let keyFile = try PEMFile.privateKey(identity.keyPath)
      guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificateFile.bytes), let certificate = chain.first else {
        throw certificateFile.isInvalid("certificate")
      }
      guard let key = try? NIOSSLPrivateKey(bytes: keyFile.bytes, format: .pem) else {
        throw keyFile.isInvalid("private key")
      }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      // The server sends its closing alert, and does not wait for the client's (RFC 8446, section 6.1).
      configuration.shutdownTimeout = .zero
      do {
        return TLSContext(
          expiry: Int(certificate.notValidAfter), context: try NIOSSLContext(configuration: configuration))
      } catch NIOSSLError.failedToLoadPrivateKey {
        throw ServerError(
          .invalidConfiguration,
          "\(keyFile.path): the private key is not that of the certificate in \(certificateFile.path); give two files that belong together."
        )
      } catch {
        throw ServerError(.invalidConfiguration, "\(certificateFile.path): the certificate cannot be used: \(error)")
      }
    }

    /// Makes the handlers of a connection whose client has begun a handshake.
    ///
    /// - Parameters:
    ///   - timeout: How long the handshake may take.
    ///   - report: Called when it fails, with the client's address and the reason.
    func handlers(timeout: Duration, report: @escaping (String) -> Void) -> [any ChannelHandler] {
      [NIOSSLServerHandler(context: context), TLSHandshakeHandler(timeout: TimeAmount(timeout), report: report)]
    }
  }

  /// Limits the time of a handshake, and reports the reason of a failure.
  final class TLSHandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let timeout: TimeAmount
    private let report: (String) -> Void
    private var alarm: Scheduled<Void>?
    /// The client's address, which a closed connection does not have any more.
    private var client = ""
    private var hasEnded = false

    init(timeout: TimeAmount, report: @escaping (String) -> Void) {
      self.timeout = timeout
      self.report = report
    }

    func handlerAdded(context: ChannelHandlerContext) {
      client = TLSDetector.address(context)
      let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      alarm = context.eventLoop.scheduleTask(in: timeout) { handler.value.0.alarmRang(handler.value.1) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      end()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { end() }
      context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if !hasEnded {
        fail(Self.reason(error))
      } else if case NIOSSLError.uncleanShutdown = error {
        // The client closed without TLS's closing alert; HTTP itself shows the end of a request.
        return
      }
      context.fireErrorCaught(error)
    }

    private func alarmRang(_ context: ChannelHandlerContext) {
      fail("the client did not finish it in time")
      context.triggerUserOutboundEvent(TLSDetector.Abort(), promise: nil)
    }

    private func fail(_ reason: String) {
      report("The TLS handshake with \(client) failed: \(reason).")
      end()
    }

    private func end() {
      hasEnded = true
      alarm?.cancel()
      alarm = nil
    }

    /// Explains why a handshake failed.
    static func reason(_ error: any Error) -> String {
      let text = String(describing: error)
      let known = [
        ("ALERT_UNKNOWN_CA", "the client does not trust the certificate"),
        ("ALERT_CERTIFICATE_UNKNOWN", "the client does not trust the certificate"),
        ("ALERT_BAD_CERTIFICATE", "the client does not accept the certificate"),
        ("ALERT_CERTIFICATE_EXPIRED", "the client says that the certificate has expired"),
        ("EOF during handshake", "the client broke off, as one does that does not trust the certificate"),
        // OpenSSL's client reports its distrust in plain text, where TLS 1.3 requires encrypted records.
        ("BAD_PACKET_LENGTH", "the client broke off, as one does that does not trust the certificate"),
        ("UNSUPPORTED_PROTOCOL", "the client speaks neither TLS 1.2 nor 1.3"),
        ("ALERT_PROTOCOL_VERSION", "the client speaks neither TLS 1.2 nor 1.3"),
        ("NO_SHARED_CIPHER", "the client has no cipher in common with the server"),
      ]
      if let (_, reason) = known.first(where: { text.contains($0.0) }) { return reason }
      // The text looks like: error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at …
      guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return text }
      let words = text[start...].prefix { $0 != " " }.split(separator: "_").joined(separator: " ").lowercased()
      return "what the client sent is not understood (\(words))"
    }
  }
#else
  import NIOCore

  /// Does not exist without the trait.
  struct TLSContext: Sendable {
    private let nothing: Never

    static func load(_ identity: TLSIdentity) throws(ServerError) -> TLSContext {
      throw ServerError(
        .invalidConfiguration,
        "\(identity.certificatePath): this build has no HTTPS; install a released executable, or build with the trait: swift build --traits HTTPS"
      )
    }

    var expiry: Int {
      switch nothing {}
    }

    func handlers(timeout: Duration, report: @escaping (String) -> Void) -> [any ChannelHandler] {
      switch nothing {}
    }
  }
#endif
