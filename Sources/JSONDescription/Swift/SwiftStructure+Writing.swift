extension SwiftStructure {
  /// Writes the structure and the types nested in it.
  ///
  /// - Parameter conformances: The protocols, in one list.
  func write(to source: inout SwiftSource, conformances: String = "Codable, Sendable, Hashable") {
    source.block("struct \(name): \(conformances)") { source in
      Self.write(properties, to: &source)
      for enumeration in enumerations { enumeration.write(to: &source) }
      for structure in structures {
        source.line()
        structure.write(to: &source)
      }
    }
  }

  /// Writes properties, and the keys of them all when one is spelled otherwise in JSON.
  static func write(_ properties: [SwiftProperty], to source: inout SwiftSource) {
    for property in properties { source.line(property.declaration) }
    guard properties.contains(where: { $0.name != $0.key }) else { return }
    source.line()
    source.block("enum CodingKeys: String, CodingKey") { source in
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        source.line("case \(name)\(property.name == property.key ? "" : " = \(SwiftText.literal(property.key))")")
      }
    }
  }
}
