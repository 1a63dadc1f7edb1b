/// A line of a shell, such as a script of a package.json.
struct ShellLine {
  /// The commands of the line as words, without redirections and variables.
  let commands: [[String]]

  init(_ text: String) {
    var (commands, word, quote): ([[String]], String?, Character?) = ([[]], nil, nil)
    func endWord() {
      if let ended = word { commands[commands.count - 1].append(ended) }
      word = nil
    }
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case _ where character == quote: quote = nil
      case "\\" where quote != "'": word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
      case _ where quote != nil: word = (word ?? "") + String(character)
      case "'", "\"": (quote, word) = (character, word ?? "")
      case "&", "|", ";":
        endWord()
        commands.append([])
      case _ where character.isWhitespace: endWord()
      default: word = (word ?? "") + String(character)
      }
    }
    endWord()
    self.commands = commands.filter { !$0.isEmpty }
  }

  /// The first command that runs a program: directly, by npx, or within the arguments of another program.
  ///
  /// - Returns: The program's name as it was found, and its arguments.
  func command(running names: Set<String>) -> (name: String, arguments: [String])? {
    for words in commands {
      if let index = words.firstIndex(where: { names.contains(Self.name(of: $0)) }) {
        return (Self.name(of: words[index]), Array(words[(index + 1)...]))
      }
      // As in `concurrently "npm run client" "json-server db.json"`.
      for word in words where word.contains(" ") {
        if let found = ShellLine(word).command(running: names) { return found }
      }
    }
    return nil
  }

  /// The name of a program, without its directory and version: `node_modules/.bin/json-server`, `json-server@0.17.4`.
  private static func name(of word: String) -> String {
    let last = word.split(separator: "/").last ?? ""
    return String(last.prefix { $0 != "@" })
  }

  /// A word as a shell reads it.
  static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=@,+%".contains($0) }
    return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}
