/// A file with a certificate or a private key in it, as text (RFC 7468).
struct PEMFile {
  let path: String
  let bytes: [UInt8]

  /// A certificate's file holds a few kilobytes for each certificate.
  private static let maximumBytes = 1 << 20

  private init(path: String) throws(ServerError) {
    guard OpenFile.Identity(path: path) != nil else {
      throw ServerError(.invalidConfiguration, "\(path): there is no such file; check the name.")
    }
    guard let file = OpenFile(path: path) else {
      throw ServerError(.invalidConfiguration, "\(path): the file cannot be read; check its permissions.")
    }
    guard file.isRegular, file.size <= Self.maximumBytes else {
      throw ServerError(.invalidConfiguration, "\(path): this is no PEM file; check the name.")
    }
    self.path = path
    bytes = file.read(from: 0, count: file.size)
  }

  /// Reads a file that has to hold a certificate.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func certificate(_ path: String) throws(ServerError) -> PEMFile {
    let file = try PEMFile(path: path)
    guard !file.holds("CERTIFICATE-----") else { return file }
    if file.holds("PRIVATE KEY-----") {
      throw ServerError(
        .invalidConfiguration,
        "\(path): this is a private key and no certificate; the certificate and the key may be exchanged.")
    }
    throw file.failure("certificate", command: "openssl x509 -inform der")
  }

  /// Reads a file that has to hold a private key.
  ///
  /// - Throws: ``ServerError`` that names the file.
  static func privateKey(_ path: String) throws(ServerError) -> PEMFile {
    let file = try PEMFile(path: path)
    if file.holds("ENCRYPTED") {
      throw ServerError(
        .invalidConfiguration,
        "\(path): the private key is encrypted; write one that is not, with openssl pkey.")
    }
    guard !file.holds("PRIVATE KEY-----") else { return file }
    if file.holds("CERTIFICATE-----") {
      throw ServerError(
        .invalidConfiguration,
        "\(path): this is a certificate and no private key; the certificate and the key may be exchanged.")
    }
    throw file.failure("private key", command: "openssl pkey -inform der")
  }

  /// The failure of a file that says what it is, and is not.
  func isInvalid(_ content: String) -> ServerError {
    ServerError(.invalidConfiguration, "\(path): the \(content) in it is not valid; make a new one.")
  }

  private func failure(_ content: String, command: String) -> ServerError {
    let message =
      holds("-----BEGIN ")
      ? "it holds no \(content); check the name."
      : "this is no PEM file; if it holds a \(content) in another form, convert it, as with \(command)."
    return ServerError(.invalidConfiguration, "\(path): \(message)")
  }

  private func holds(_ text: String) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
  }
}
