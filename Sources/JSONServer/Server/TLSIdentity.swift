/// The files by which a server proves to clients who it is; with them it speaks HTTPS instead of HTTP.
///
/// HTTPS is part of builds with the package's trait `HTTPS`, and of released executables.
public struct TLSIdentity: Sendable, Hashable {
  /// A PEM file with the server's certificate, and after it those that lead from it to one that clients trust.
  public var certificatePath: String

  /// A PEM file with the certificate's private key, which is not encrypted.
  public var keyPath: String

  /// Names the files, which are read when a server is loaded.
  public init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// Checks that a server can be started with the files.
  ///
  /// - Throws: ``ServerError`` that names the file that cannot be used, or says how to get HTTPS.
  package func check() throws(ServerError) {
    _ = try TLSContext.load(self)
  }
}
