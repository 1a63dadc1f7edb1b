import JSONDatabase

/// Gives arguments as json-server's users type them the one form that the parser knows.
///
/// json-server 0.17 reads its arguments with yargs, which takes `--readOnly` for `--read-only`, `--no-cors=true` for
/// `--no-cors`, and `-p3000` for `-p 3000`.
struct ArgumentNormalizer {
  /// The names of the commands; anything else in the first place belongs to the default one.
  let subcommands: [String]

  /// Long names that are written in camel case.
  private static let camelCaseNames = Set(
    ServeOptions.table.map(\.name).filter { $0.contains(where: \.isUppercase) }.map { "--\($0)" })

  /// Short options that take a value, which may follow without a space.
  private static let shortOptions: Set<String> = Set(
    ServeOptions.table.filter { !$0.isFlag }.flatMap(\.aliases).filter { $0.count == 1 }
  ).union(["c"])

  /// Long options without a value; a `=true` after them says nothing, a `=false` takes them back.
  private static let flags: Set<String> = {
    let flags = ServeOptions.table.filter(\.isFlag)
    let names: [String] = flags.map(\.name) + flags.flatMap(\.aliases)
    return Set(names.filter { $0.count > 1 }.map { "--\($0)" }).union(["--color", "--no-color", "--print-config"])
  }()

  /// Arguments of the whole command, not of serving.
  private static let rootFlags: Set<String> = ["--version", "--generate-completion-script", "--experimental-dump-help"]

  func normalize(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let normalized = arguments[..<end].flatMap(normalized(argument:)) + arguments[end...]
    guard let first = normalized.first else { return ["serve"] }
    let isForRoot =
      subcommands.contains(first) || first == "help"
      || normalized.contains { Self.rootFlags.contains(String($0.prefix { $0 != "=" })) }
    return isForRoot ? normalized : ["serve"] + normalized
  }

  /// Returns the command that a first argument was probably meant to be, when it is none and could be no source.
  ///
  /// - Parameter exists: Whether there is a file of a name.
  func meantSubcommand(_ argument: String, exists: (String) -> Bool) -> String? {
    guard !subcommands.contains(argument), argument.allSatisfy(\.isLetter), !exists(argument) else { return nil }
    return Spelling.nearest(to: argument, among: subcommands)
  }

  private func normalized(argument: String) -> [String] {
    if argument == "-v" { return ["--version"] }
    if argument.hasPrefix("--") { return normalized(long: argument) }
    let short = argument.dropFirst()
    if argument.hasPrefix("-"), let option = short.first, Self.shortOptions.contains(String(option)), short.count > 1,
      short.dropFirst().first != "="
    {
      return ["-\(option)", String(short.dropFirst())]
    }
    return [argument]
  }

  private func normalized(long argument: String) -> [String] {
    let written = String(argument.prefix { $0 != "=" })
    let name = Self.camelCaseNames.contains(written) ? written : ServeOption.kebabCase(written)
    let rest = argument.dropFirst(written.count)
    if Self.flags.contains(name) {
      if rest == "=true" { return [name] }
      if rest == "=false" { return [] }
    }
    return [name + rest]
  }
}
