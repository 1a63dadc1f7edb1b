import JSONServer

/// A JavaScript file that json-server would run between a request and its response. It is read as text, and never run.
struct MiddlewareFile {
  /// Something that middlewares do: words that show it, in lower case, and the option that does it here.
  private typealias Purpose = (words: [String], deed: String, option: String)

  private static let purposes: [Purpose] = [
    (["json-server-reset"], "reset the data", "--reset-routes"),
    (
      [
        "json-server-auth", "jsonwebtoken", "passport", "bcrypt", "authorization", "/login", "/signin", "/sign-in",
        "password",
      ], "check who signs in", "--auth users, or --stubs FILE with find and unless"
    ),
    (["settimeout", "delay", "sleep"], "delay responses", "--delay 500"),
    (["access-control-", "'cors'", "\"cors\""], "allow other origins", "--cors https://app.example"),
    (
      ["createdat", "updatedat", "created_at", "updated_at", "date.now", "new date"], "fill in dates",
      "--fill posts.createdAt=now"
    ),
    (["uuid", "nanoid"], "fill in ids", "--fill posts.id=uuid"),
    (
      ["math.random", "status(500", "status(503", "statuscode = 5"], "fail on purpose", "--stubs FILE with probability"
    ),
    (["status(400", "status(422", "statuscode = 4"], "check bodies", "--check, or --schema FILE"),
    (["req.url =", "req.url.replace", "rewriter"], "change paths", "--routes FILE"),
    (["res.json(", "res.jsonp(", "res.send(", "res.sendfile("], "respond itself", "--stubs FILE"),
    (
      ["res.header(", "res.set(", "setheader('x-", "setheader(\"x-"], "add header fields",
      "--stubs FILE with addHeaders"
    ),
    (["router.render"], "wrap responses", "--wrap data"),
    (["express.static"], "serve files", "--static DIRECTORY"),
    (["console.log", "morgan"], "log requests", "the log has them"),
  ]

  let path: String
  /// The text in lower case; `nil` when the file cannot be read.
  let text: String?

  /// - Parameter directory: The directory from which the path leads to the file.
  init(path: String, in directory: String = ".") {
    self.path = path
    let place = path.hasPrefix("/") || directory == "." ? path : "\(directory)/\(path)"
    text = FileText.contents(of: place).map { String(decoding: $0.prefix(1 << 20), as: UTF8.self).lowercased() }
  }

  /// What the file seems to do, the option that does it, and the line with the first word that shows it.
  var findings: [(deed: String, option: String, line: Int?)] {
    let lines = (text ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return Self.purposes.compactMap { words, deed, option in
      func shows(_ text: some StringProtocol) -> Bool { words.contains { text.contains($0) } }
      let line = lines.firstIndex(where: shows).map { $0 + 1 }
      return line != nil || shows(path.lowercased()) ? (deed, option, line) : nil
    }
  }

  /// A sentence that says why the file has no effect, and what does the same.
  var warning: String {
    let found = findings
    let name = LogText.escaped(path)
    guard !found.isEmpty else {
      return
        "\(name) has no effect, since JavaScript is not run; stubs, faults and rewrite rules do most of what such files do."
    }
    let list = found.map { "\($0.deed) (\($0.option))" }
    let deeds = list.count == 1 ? list[0] : list.dropLast().joined(separator: ", ") + " and " + (list.last ?? "")
    return "\(name) has no effect, since JavaScript is not run. By its words, it may \(deeds)."
  }
}
