import JSONServerValues

/// Databases to measure with: one collection of records of about 1 KB, as load.py makes them.
enum Sample {
  /// What the body of one record in 1,000 holds.
  static let needle = "quizzical"

  private static let padding = String(repeating: "lorem ipsum dolor sit amet ", count: 33)

  /// The text of a file, laid out as json-server writes it.
  static func text(records count: Int) -> UTF8Slice {
    var output = Array("{\n  \"posts\": [".utf8)
    output.reserveCapacity(count * 1_050 + 100)
    for number in 1...count {
      output += (number == 1 ? "\n    " : ",\n    ").utf8
      output += record(number).utf8
    }
    output += "\n  ]\n}\n".utf8
    return UTF8Slice(output)
  }

  /// One record's text; the numbers are spread, and the same in each run.
  static func record(_ number: Int, views: Int? = nil) -> String {
    let word = number % 1_000 == 500 ? needle : "ordinary"
    return """
      {
            "id": \(number),
            "title": "Post \(number)",
            "authorId": \(number % 1_000),
            "views": \(views ?? number &* 7_919 % 1_000_003),
            "body": "\(word) \(padding)"
          }
      """
  }
}
