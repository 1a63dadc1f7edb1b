import ArgumentParser
import TestSupport
import Testing

@testable import swift_json_server

struct CompletionScriptTests {
  @Test(arguments: [
    (["--generate-completion-script", "zsh"], "zsh"), (["--generate-completion-script=fish"], "fish"),
    (["--generate-completion-script", "tcsh"], nil), (["database.json"], nil), ([], nil),
  ])
  func `A script is asked for by the name of a shell`(_ arguments: [String], _ shell: String?) {
    #expect(CompletionScript(arguments)?.shell.rawValue == shell)
  }

  @Test(arguments: [
    ("bash", "complete -o filenames -F _swift-json-server_or_serve swift-json-server"),
    ("fish", "set tokens $tokens[1] serve $tokens[2..]"),
    ("zsh", "words=(\"${words[1]}\" serve \"${(@)words[2,-1]}\")"),
  ])
  func `The script of each shell completes serving without its name`(_ shell: String, _ line: String) throws {
    let script = try #require(CompletionScript(["--generate-completion-script", shell])).text
    #expect(script.contains(line))
    #expect(script.contains("init"))
  }

  @Test(
    .enabled(if: hasBash, "no bash 4 in PATH"),
    arguments: [
      (["--wa"], ["--watch"]), (["database.json", "--wa"], ["--watch"]), (["serve", "--wa"], ["--watch"]),
      (["--port", "0", "--compat", ""], ["v0", "v1"]), (["gen"], ["generate"]), (["generate", "s"], ["swift"]),
      (["validate", "--s"], ["--strict"]),
    ])
  func `bash completes serving without its name, and the commands by theirs`(
    _ words: [String], _ expected: [String]
  ) throws {
    let directory = try TemporaryDirectory()
    try directory.write(try #require(CompletionScript(["--generate-completion-script", "bash"])).text, to: "script")
    let program = """
      source "$0"
      COMP_WORDS=(swift-json-server "$@") COMP_CWORD=$# COMP_TYPE=9
      COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}
      _swift-json-server_or_serve swift-json-server "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try #require(Program(arguments: ["bash", "-c", program, directory.path("script")] + words).output())
    #expect(String(decoding: result.bytes, as: UTF8.self).split(separator: "\n").map(String.init) == expected)
  }

  private static let hasBash = Program(arguments: ["bash", "-c", "((BASH_VERSINFO[0] >= 4))"]).output()?.status == 0
}
