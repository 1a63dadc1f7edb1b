import JSONServerValues
import Testing

/// The files of nst/JSONTestSuite.
struct JSONTestSuiteTests {
  private static let parsing = "json-test-suite/test_parsing"
  private static let transform = "json-test-suite/test_transform"

  @Test func `The suite is there`() {
    #expect(Fixture.names(in: Self.parsing).count == 318)
    #expect(Fixture.names(in: Self.transform).count == 22)
  }

  @Test(arguments: Fixture.names(in: parsing, startingWith: "y_"))
  func `Every valid text is accepted`(_ name: String) throws {
    let bytes = try Fixture.bytes("\(Self.parsing)/\(name)")
    let value = try JSONValue(parsing: bytes)
    #expect(try JSONValue(parsing: value.text()) == value)
    #expect(try JSONValue(parsing: value.text(pretty: false)) == value)
  }

  @Test(arguments: Fixture.names(in: parsing, startingWith: "n_"))
  func `Every invalid text is refused with a place inside it`(_ name: String) throws {
    let bytes = try Fixture.bytes("\(Self.parsing)/\(name)")
    let error = try #require(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect((0...bytes.count).contains(error.offset))
    #expect((1...(1 + bytes.count { $0 == UInt8(ascii: "\n") })).contains(error.line))
    #expect((1...(1 + bytes.count)).contains(error.column))
    #expect(!error.message.isEmpty)
  }

  /// What RFC 8259 leaves open: numbers of any size keep their text, a lone surrogate is an escape like any other, and
  /// everything that is not UTF-8 is refused.
  private static let decisions: [(name: String, code: JSONError.Code?)] = [
    ("i_number_double_huge_neg_exp", nil),
    ("i_number_huge_exp", nil),
    ("i_number_neg_int_huge_exp", nil),
    ("i_number_pos_double_huge_exp", nil),
    ("i_number_real_neg_overflow", nil),
    ("i_number_real_pos_overflow", nil),
    ("i_number_real_underflow", nil),
    ("i_number_too_big_neg_int", nil),
    ("i_number_too_big_pos_int", nil),
    ("i_number_very_big_negative_int", nil),
    ("i_object_key_lone_2nd_surrogate", nil),
    ("i_string_1st_surrogate_but_2nd_missing", nil),
    ("i_string_1st_valid_surrogate_2nd_invalid", nil),
    ("i_string_UTF-16LE_with_BOM", .unexpectedCharacter),
    ("i_string_UTF-8_invalid_sequence", .invalidUTF8),
    ("i_string_UTF8_surrogate_U+D800", .invalidUTF8),
    ("i_string_incomplete_surrogate_and_escape_valid", nil),
    ("i_string_incomplete_surrogate_pair", nil),
    ("i_string_incomplete_surrogates_escape_valid", nil),
    ("i_string_invalid_lonely_surrogate", nil),
    ("i_string_invalid_surrogate", nil),
    ("i_string_invalid_utf-8", .invalidUTF8),
    ("i_string_inverted_surrogates_U+1D11E", nil),
    ("i_string_iso_latin_1", .invalidUTF8),
    ("i_string_lone_second_surrogate", nil),
    ("i_string_lone_utf8_continuation_byte", .invalidUTF8),
    ("i_string_not_in_unicode_range", .invalidUTF8),
    ("i_string_overlong_sequence_2_bytes", .invalidUTF8),
    ("i_string_overlong_sequence_6_bytes", .invalidUTF8),
    ("i_string_overlong_sequence_6_bytes_null", .invalidUTF8),
    ("i_string_truncated-utf-8", .invalidUTF8),
    ("i_string_utf16BE_no_BOM", .unexpectedCharacter),
    ("i_string_utf16LE_no_BOM", .unexpectedCharacter),
    ("i_structure_500_nested_arrays", nil),
    ("i_structure_UTF-8_BOM_empty_object", nil),
  ]

  @Test(arguments: decisions)
  func `What the standard leaves open is decided`(_ name: String, _ code: JSONError.Code?) throws {
    let bytes = try Fixture.bytes("\(Self.parsing)/\(name).json")
    if let code {
      let error = try #require(throws: JSONError.self) { try JSONValue(parsing: bytes) }
      #expect(error.code == code)
    } else {
      _ = try JSONValue(parsing: bytes)
    }
  }

  @Test func `No text that the standard leaves open is undecided`() {
    #expect(Fixture.names(in: Self.parsing, startingWith: "i_") == Self.decisions.map { "\($0.name).json" })
  }

  /// The compact text of the tree, or `nil` for a text that is refused.
  private static let transforms: [(name: String, text: String?)] = [
    ("number_-9223372036854775808", "[-9223372036854775808]"),
    ("number_-9223372036854775809", "[-9223372036854775809]"),
    ("number_1.0", "[1.0]"),
    ("number_1.000000000000000005", "[1.000000000000000005]"),
    ("number_1000000000000000", "[1000000000000000]"),
    ("number_10000000000000000999", "[10000000000000000999]"),
    ("number_1e-999", "[1E-999]"),
    ("number_1e6", "[1E6]"),
    ("number_9223372036854775807", "[9223372036854775807]"),
    ("number_9223372036854775808", "[9223372036854775808]"),
    ("object_key_nfc_nfd", "{\"\u{E9}\":\"NFC\",\"e\u{301}\":\"NFD\"}"),
    ("object_key_nfd_nfc", "{\"e\u{301}\":\"NFD\",\"\u{E9}\":\"NFC\"}"),
    ("object_same_key_different_values", #"{"a":2}"#),
    ("object_same_key_same_value", #"{"a":1}"#),
    ("object_same_key_unclear_values", #"{"a":-0}"#),
    ("string_1_escaped_invalid_codepoint", "[\"\u{FFFD}\"]"),
    ("string_1_invalid_codepoint", nil),
    ("string_2_escaped_invalid_codepoints", "[\"\u{FFFD}\u{FFFD}\"]"),
    ("string_2_invalid_codepoints", nil),
    ("string_3_escaped_invalid_codepoints", "[\"\u{FFFD}\u{FFFD}\u{FFFD}\"]"),
    ("string_3_invalid_codepoints", nil),
    ("string_with_escaped_NULL", #"["A\u0000B"]"#),
  ]

  @Test(arguments: transforms)
  func `What becomes of doubtful values is decided`(_ name: String, _ text: String?) throws {
    let bytes = try Fixture.bytes("\(Self.transform)/\(name).json")
    let value = try? JSONValue(parsing: bytes)
    #expect(value.map { $0.utf8Text(.compact) } == text.map { Array($0.utf8) })
  }

  @Test func `No doubtful value is undecided`() {
    #expect(Fixture.names(in: Self.transform) == Self.transforms.map { "\($0.name).json" })
  }
}
