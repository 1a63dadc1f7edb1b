/// A generated enumeration: the few strings that a member is.
struct SwiftEnumeration {
  let name: String
  let choices: [String]

  func write(to source: inout SwiftSource) {
    var names = UniqueNames(reserving: SwiftNames.properties)
    source.line()
    source.block("enum \(name): String, Codable, CaseIterable, Sendable, Hashable") { source in
      for choice in choices {
        let name = names.take(Identifier.lowerCamelCase(choice))
        source.line("case \(SwiftNames.declaration(name))\(name == choice ? "" : " = \(SwiftText.literal(choice))")")
      }
    }
  }
}
