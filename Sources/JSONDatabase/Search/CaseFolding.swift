/// Which characters are one and the same when case is ignored.
///
/// The relation is that of a JavaScript regular expression with flag `i` (ECMA-262, Canonicalize): two characters are
/// the same if their uppercase is, where a character whose uppercase is several characters, or is ASCII though it is
/// not, stands for itself. So `é` is `É`, and `ß` is not `ss`; an ASCII letter has no equivalent outside ASCII.
enum CaseFolding {
  /// Returns the character that stands for a character and all its equivalents.
  static func canonical(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      return ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) - 0x20) : scalar
    }
    guard scalar.properties.changesWhenUppercased else { return scalar }
    let uppercase = scalar.properties.uppercaseMapping.unicodeScalars
    guard uppercase.count == 1, let first = uppercase.first, !first.isASCII else { return scalar }
    return first
  }

  /// Returns a character and its equivalents.
  static func family(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    let canonical = canonical(scalar)
    guard scalar.isASCII else { return families[canonical] ?? [scalar] }
    guard ("A"..."Z").contains(canonical) else { return [scalar] }
    return [canonical, Unicode.Scalar(UInt8(canonical.value) + 0x20)]
  }

  /// The families of more than one character outside ASCII, each under its canonical character.
  ///
  /// Unicode has no cased letter above U+1FFFF. Built once, in a few milliseconds, when a pattern first needs it.
  static let families: [Unicode.Scalar: [Unicode.Scalar]] = {
    var families: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let canonical = canonical(scalar)
      if canonical != scalar { families[canonical, default: [canonical]].append(scalar) }
    }
    return families
  }()
}

extension UTF8 {
  /// Reads the character at an offset and steps over it; a byte that begins no character is U+FFFD.
  ///
  /// - Precondition: The offset is within the text.
  @inline(__always)
  static func decodeScalar(in text: UnsafeBufferPointer<UInt8>, at position: inout Int) -> UInt32 {
    let lead = text[position]
    let count = (~lead).leadingZeroBitCount
    guard (2...4).contains(count), position + count <= text.count else {
      position += 1
      return lead < 0x80 ? UInt32(lead) : 0xFFFD
    }
    var value = UInt32(lead & (0x7F >> UInt8(count)))
    for byte in text[(position + 1)..<(position + count)] { value = value << 6 | UInt32(byte & 0x3F) }
    position += count
    return value
  }
}
