import Testing

/// A certificate for this machine with its key, which nothing but a test trusts, in a test's own directory.
package struct TestCertificate: Sendable {
  package let directory: TemporaryDirectory
  /// The names of the files in the directory.
  package let name: String
  package let keyName: String

  package var path: String { directory.path(name) }
  package var keyPath: String { directory.path(keyName) }

  /// Makes a pair of files with OpenSSL or LibreSSL.
  package init(
    in directory: TemporaryDirectory, name: String = "cert.pem", keyName: String = "key.pem"
  ) throws {
    let (_, isSuccess) = Shell.run(
      """
      openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1 -keyout \(keyName) -out \(name) 2>openssl.log
      """, in: directory.path)
    try #require(isSuccess, "openssl makes no certificate: \(directory.text("openssl.log") ?? "")")
    self.directory = directory
    self.name = name
    self.keyName = keyName
  }
}
