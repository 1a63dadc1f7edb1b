import HTTPTypes
import JSONStorage

/// What a client calls its session.
struct SessionName: Sendable, Hashable {
  let text: String

  /// The first segment of the paths that lead into a session.
  static let root = "__session"
  private static let maximumBytes = 64
  private static let bytes = ByteSet.words.union(ByteSet("-.~".utf8))

  /// - Throws: 400 that says what a name is.
  init(_ text: String) throws(RequestError) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.bytes.contains), text != ".",
      text != ".."
    else {
      throw RequestError(
        .malformed,
        "A session's name has 1 to \(Self.maximumBytes) letters, digits and -._~; '\(text.prefix(80))' is none.")
    }
    self.text = text
  }

  /// Makes a name of any text: other characters than those of names become hyphens, and a hash at the end tells texts apart
  /// that are no names, however long they are.
  init(cleaning text: String) {
    if let name = try? SessionName(text) {
      self = name
      return
    }
    let bytes = Array(text.utf8)
    let hash = bytes.withUnsafeBytes { String(ContentHash(of: $0).value, radix: 16) }
    let start = bytes.prefix(Self.maximumBytes - hash.utf8.count - 1)
      .map { Self.bytes.contains($0) ? $0 : UInt8(ascii: "-") }
    self.text = String(decoding: start, as: UTF8.self) + "-" + hash
  }

  /// Takes the name out of a request: from its path, which then leads on from there, or from its field.
  ///
  /// - Returns: `nil` when the request is for none.
  /// - Throws: 400 for what is no name.
  static func take(from request: inout Request) throws(RequestError) -> SessionName? {
    let target = request.target
    let slash = UInt8(ascii: "/")
    let first = target.utf8.drop { $0 == slash }
    guard first.starts(with: root.utf8),
      first.dropFirst(root.utf8.count).first.map({ $0 == slash || $0 == UInt8(ascii: "?") }) ?? true
    else {
      return try request.headerFields.joined(.session).map { text throws(RequestError) in try SessionName(text) }
    }
    let segment = first.dropFirst(root.utf8.count).drop { $0 == slash }
    let end = segment.firstIndex { $0 == slash || $0 == UInt8(ascii: "?") } ?? segment.endIndex
    let name = try SessionName(String(Substring(segment[..<end])))
    let rest = String(target[end...])
    request.mount.path += "/\(root)/\(name.text)"
    request.target = rest.hasPrefix("/") ? rest : "/" + rest
    return name
  }
}
