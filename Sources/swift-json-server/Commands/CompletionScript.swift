import ArgumentParser

/// What a shell sources to complete the command line.
///
/// The parser's own script completes the options of serving and the names of files after the word `serve` alone. So
/// where no command is named, ours has it complete as if `serve`, the default, stood there.
struct CompletionScript {
  private static let option = "--generate-completion-script"

  let shell: CompletionShell

  /// Reads which shell the arguments ask a script for; without a name that of the environment.
  ///
  /// - Returns: `nil` when they ask for none, or for an unknown shell.
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
      // zsh's last lines run the function when the file is loaded.
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
