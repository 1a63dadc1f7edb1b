/// A step of a coding path that no type declares: an element's position, or `super`.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init?(stringValue: String) {
    self.init(stringValue)
  }

  init?(intValue: Int) {
    self.init(intValue)
  }
}
