import NIOCore
import NIOHTTP1

/// The head of a request that was read by the parser, to recognize it when it comes again.
///
/// A client sends the same head with each request of a connection, but for the target. To parse and to understand it
/// again took longer than to find a record. This is no parser: every byte must be as it was but those of the target,
/// and the target may have no byte that could end it.
final class RepeatedHead {
  /// The method and the space before the target.
  private let start: ByteBuffer
  /// What follows the target: the version, the fields and the empty line.
  private let rest: ByteBuffer
  private let meaning: RequestHead

  /// - Parameters:
  ///   - bytes: The whole request, as it came; it has no body.
  ///   - line: What the parser made of them.
  ///   - meaning: What they mean.
  /// - Returns: nil when its target is no path, or does not stand in its usual place.
  init?(_ bytes: ByteBuffer, line: HTTPRequestHead, meaning: RequestHead) {
    let start = "\(line.method.rawValue) "
    let bytes = bytes.readableBytesView
    guard line.uri.utf8.first == UInt8(ascii: "/"), bytes.starts(with: "\(start)\(line.uri) HTTP/1.".utf8) else {
      return nil
    }
    self.start = ByteBuffer(string: start)
    rest = ByteBuffer(bytes: bytes.dropFirst(start.utf8.count + line.uri.utf8.count))
    self.meaning = meaning
  }

  /// Takes the next request off the input, when it has this head.
  func takeRequest(from input: inout ByteBuffer, limits: Limits) -> (request: Request, form: AnswerForm)? {
    var unread = input
    guard unread.readSlice(length: start.readableBytes) == start, let length = lengthOfTarget(unread, limits),
      let target = unread.readString(length: length), unread.readSlice(length: rest.readableBytes) == rest
    else { return nil }
    input = unread
    let request = Request(
      method: meaning.request.method, target: target, headerFields: meaning.request.headerFields)
    return (request, meaning.form)
  }

  /// The bytes of the path that the input begins with; nil when there is none, or the limits do not allow it.
  private func lengthOfTarget(_ input: ByteBuffer, _ limits: Limits) -> Int? {
    input.withUnsafeReadableBytes { bytes in
      guard bytes.first == UInt8(ascii: "/"), let end = bytes.firstIndex(where: { !Self.isInTarget($0) }),
        end <= min(limits.maximumTargetBytes, limits.maximumHeadBytes - meaning.fieldBytes)
      else { return nil }
      return end
    }
  }

  /// The bytes that the parser takes in any place of a target: those that are seen, but for the fragment's sign.
  private static func isInTarget(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "#")
  }
}
