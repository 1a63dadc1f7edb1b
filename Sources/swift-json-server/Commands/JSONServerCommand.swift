import ArgumentParser
import JSONDatabase
import JSONServer
import JSONServerValues
import JSONStorage

/// The command line of swift-json-server.
@main
struct JSONServerCommand: AsyncParsableCommand {
  static let version = Server.version

  static let configuration = CommandConfiguration(
    commandName: "swift-json-server",
    abstract: "Serves a JSON file as a REST API, and writes every change back.",
    discussion: """
      'swift-json-server database.json' serves a file; 'swift-json-server --help' lists the options of serving.

      Exit codes:
      \(ExitStatus.table("the server was stopped", ExitStatus.allCases.map { ($0, $0.meaning) }))
      """,
    version: version,
    subcommands: [
      ServeCommand.self, InitCommand.self, ValidateCommand.self, GenerateCommand.self, RecordCommand.self,
      ExportCommand.self, ImportCommand.self, RehearseCommand.self, MigrateCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)

  static func main() async {
    let subcommands = configuration.subcommands.map { $0._commandName }
    let normalizer = ArgumentNormalizer(subcommands: subcommands)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let name = arguments.first,
      let meant = normalizer.meantSubcommand(name, exists: { FileKind(of: $0) != .missing })
    {
      exit(withError: ValidationError("No command and no file is named '\(name)'. Did you mean '\(meant)'?"))
    }
    if let script = CompletionScript(arguments) { return print(script.text) }
    let normalized = normalizer.normalize(arguments)
    if let (name, meant) = ArgumentNormalizer.misspelled(in: normalized) {
      exit(withError: ValidationError("Unknown option '\(name)'. Did you mean '\(meant)'?"))
    }
    await main(normalized)
  }
}

/// Converts arguments in json-server's spellings to the form that the parser knows.
///
/// json-server 0.17 reads its arguments with yargs, which accepts `--readOnly` for `--read-only`, `--no-cors=true` for
/// `--no-cors`, and `-p3000` for `-p 3000`.
struct ArgumentNormalizer {
  /// The names of the commands; any other first argument belongs to the default command.
  let subcommands: [String]

  /// Long names that are written in camel case.
  private static let camelCaseNames = Set(
    ServeCommand.table.map(\.name).filter { $0.contains(where: \.isUppercase) }.map { "--\($0)" })

  /// Short options with a value, which may follow without a space.
  private static let shortOptions: Set<String> = Set(
    ServeCommand.table.filter { !$0.isFlag }.compactMap(\.alias).filter { $0.count == 1 }
  ).union(["c"])

  /// The names of long options without a value, and the options. A `=true` after them is ignored; `=false` means
  /// ``RunningOptions/off``.
  private static let flags: [String: String] = {
    let names = ServeCommand.table.filter(\.isFlag).flatMap { flag in
      [flag.name, flag.alias ?? ""].filter { $0.count > 1 }.map { ("--\($0)", flag.name) }
    }
    return Dictionary(uniqueKeysWithValues: names + ["color", "no-color", "print-config"].map { ("--\($0)", $0) })
  }()

  private static let off = "--off="

  /// Arguments of the whole command, not of serving.
  private static let rootFlags: Set<String> = ["--version", "--generate-completion-script", "--experimental-dump-help"]

  func normalize(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let normalized = Self.repeatingMiddlewares(arguments[..<end].flatMap(normalized(argument:))) + arguments[end...]
    guard let first = normalized.first else { return ["serve"] }
    let isForRoot =
      subcommands.contains(first) || first == "help"
      || normalized.contains { Self.rootFlags.contains(String($0.prefix { $0 != "=" })) }
    guard isForRoot else { return ["serve"] + normalized }
    // Other commands have none of the flags of serving.
    return ["serve", "rehearse"].contains(first) ? normalized : normalized.filter { !$0.hasPrefix(Self.off) }
  }

  /// Returns the command that a misspelled first argument probably means, unless the argument may be a source.
  ///
  /// - Parameter exists: Whether a file of a name exists.
  func meantSubcommand(_ argument: String, exists: (String) -> Bool) -> String? {
    guard !subcommands.contains(argument), argument.allSatisfy(\.isLetter), !exists(argument) else { return nil }
    return Spelling.nearest(to: argument, among: subcommands)
  }

  /// Returns the first option that is nearly `--help` or `--version`, which the parser never suggests, and that option.
  static func misspelled(in arguments: [String]) -> (name: String, meant: String)? {
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    let candidates = ["--help", "--version"] + ServeCommand.table.map { "--\($0.name)" }
    for name in options where !candidates.contains(name) {
      if let meant = Spelling.nearest(to: name, among: candidates), candidates.prefix(2).contains(meant) {
        return (name, meant)
      }
    }
    return nil
  }

  /// Repeats the option before the further files of `-m a.js b.js`, as yargs reads them.
  private static func repeatingMiddlewares(_ arguments: [String]) -> [String] {
    // The number of files since the option; `nil` elsewhere.
    var count: Int?
    return arguments.flatMap { argument in
      if argument.hasPrefix("-") {
        count = ["-m", "--middlewares"].contains(argument) ? 0 : argument.hasPrefix("--middlewares=") ? 1 : nil
        return [argument]
      }
      guard let known = count else { return [argument] }
      let isData = argument.contains("://") || dataSuffixes.contains(where: argument.hasSuffix)
      count = known > 0 && isData ? nil : known + 1
      return known > 0 && !isData ? ["-m", argument] : [argument]
    }
  }

  private static let dataSuffixes = DirectoryListing.suffixes + [".yaml", ".yml"]

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
    let kebab = ServeOption.kebabCase(written)
    let name = Self.camelCaseNames.first { ServeOption.kebabCase($0) == kebab } ?? kebab
    let rest = argument.dropFirst(written.count)
    if let flag = Self.flags[name] {
      if rest == "=true" { return [name] }
      if rest == "=false" { return ["\(Self.off)\(flag)"] }
    }
    return [name + rest]
  }
}

/// The script that a shell sources to complete the command line.
///
/// The parser's own script completes options and file names only after the word `serve`. So this script completes a
/// line without a command as if it had `serve`, the default.
struct CompletionScript {
  private static let option = "--generate-completion-script"

  let shell: CompletionShell

  /// Returns the shell for which the arguments request a script; without a name, the shell of the environment.
  ///
  /// - Returns: `nil` when they request no script, or name an unknown shell.
  init?(_ arguments: [String]) {
    let words = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    guard words.first == Self.option, words.count <= 2 else { return nil }
    guard let shell = words.count == 2 ? CompletionShell(rawValue: words[1]) : .autodetected() else { return nil }
    self.shell = shell
  }

  var text: String {
    let script = JSONServerCommand.completionScript(for: shell)
    switch shell {
    case .bash: return "\(script)\n\(Self.bash)"
    case .fish: return "\(script)\n\(Self.fish)"
    default:
      // The last lines for zsh run the function when the file is loaded.
      guard let end = script.firstRange(of: "if [[ \"${funcstack[1]}\"")?.lowerBound else { return script }
      return "\(script[..<end])\(Self.zsh)\n\n\(script[end...])"
    }
  }

  private static let commands = JSONServerCommand.configuration.subcommands.map { $0._commandName } + ["help"]
  /// The commands as a pattern of bash and zsh, and as a list.
  private static let (pattern, list) = (commands.joined(separator: "|"), commands.joined(separator: " "))

  private static let bash = #"""
    _swift-json-server_or_serve() {
        local -a commands=()
        case "${COMP_WORDS[1]}" in
        \#(pattern)) ;;
        *)
            if ((COMP_CWORD == 1)); then
                commands=($(compgen -W '\#(list)' -- "${2}"))
            fi
            COMP_LINE="${COMP_WORDS[0]} serve${COMP_LINE#"${COMP_WORDS[0]}"}"
            COMP_WORDS=("${COMP_WORDS[0]}" serve "${COMP_WORDS[@]:1}")
            ((COMP_CWORD += 1, COMP_POINT += 6))
            ;;
        esac
        _swift-json-server "${@}"
        COMPREPLY+=("${commands[@]}")
    }

    complete -o filenames -F _swift-json-server_or_serve swift-json-server
    """#

  private static let zsh = #"""
    functions[_swift-json-server_command]="${functions[_swift-json-server]}"

    _swift-json-server() {
        local -i ret=1
        case "${words[2]}" in
        \#(pattern))
            ;;
        *)
            if ((CURRENT == 2)) && [[ "${words[2]}" != -* ]]; then
                _swift-json-server_command "${@}" && ret=0
            fi
            words=("${words[1]}" serve "${(@)words[2,-1]}")
            ((CURRENT += 1))
            ;;
        esac
        _swift-json-server_command "${@}" && ret=0
        return "${ret}"
    }
    """#

  private static let fish = #"""
    functions -c __swift-json-server_tokens __swift-json-server_typed_tokens

    function __swift-json-server_tokens
        set -l tokens (__swift-json-server_typed_tokens $argv)
        set -l first $tokens[2] (commandline -ct)
        if not contains -- $first[1] \#(list)
            and begin; set -q tokens[2]; or string match -q -- '-*' $first[1]; end
            set tokens $tokens[1] serve $tokens[2..]
        end
        printf '%s\n' $tokens
    end

    complete -c 'swift-json-server' -n '__swift-json-server_should_offer_completions_for_positional "swift-json-server" -eq 1' -F
    """#
}
