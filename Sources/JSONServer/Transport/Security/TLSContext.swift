#if HTTPS
  import NIOCore
  import NIOSSL

  /// A certificate with its key, ready for connections.
  struct TLSContext: Sendable {
    /// When the certificate expires, in seconds since 1970.
    let expiry: Int

    private let context: NIOSSLContext

    /// Reads the files.
    ///
    /// - Throws: ``ServerError`` that names the file that cannot be used.
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
      // A client is told that nothing follows; that it says so, too, is not waited for (RFC 8446, section 6.1).
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

    /// Makes the handlers of a connection whose client has sent the first byte of a handshake.
    ///
    /// - Parameters:
    ///   - timeout: How long the handshake may take.
    ///   - report: Called when it fails, with the client's address and the reason.
    func handlers(timeout: Duration, report: @escaping (String) -> Void) -> [any ChannelHandler] {
      [NIOSSLServerHandler(context: context), TLSHandshakeHandler(timeout: TimeAmount(timeout), report: report)]
    }
  }
#else
  import NIOCore

  /// Without the trait there is none.
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
