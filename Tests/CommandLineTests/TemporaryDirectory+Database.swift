import TestSupport

/// The file that most commands are about.
extension TemporaryDirectory {
  func write(_ text: String) throws { try write(text, to: "database.json") }

  func text() -> String? { text("database.json") }
}
