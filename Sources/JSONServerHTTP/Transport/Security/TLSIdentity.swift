/// The files of a server's certificate; with them the server uses HTTPS instead of HTTP.
///
/// HTTPS is part of builds with the package's trait `HTTPS`, and of released executables.
public struct TLSIdentity: Sendable, Hashable {
  /// A PEM file with the server's certificate, followed by the certificates of its authorities, up to one that clients
  /// trust.
  public var certificatePath: String

  /// A PEM file with the certificate's private key, unencrypted.
  public var keyPath: String

  /// Names the files, which are read when a server is loaded.
  public init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// Checks that a server can start with the files.
  ///
  /// - Throws: ``ServerError`` that names the invalid file, or says how to get HTTPS.
  package func check() throws(ServerError) {
    _ = try TLSContext.load(self)
  }
}
