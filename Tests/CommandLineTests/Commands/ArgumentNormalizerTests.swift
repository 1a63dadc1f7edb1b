import Testing

@testable import swift_json_server

struct ArgumentNormalizerTests {
  private let normalizer = ArgumentNormalizer(subcommands: ["serve", "init", "validate"])

  @Test(arguments: [
    (["db.json"], ["serve", "db.json"]),
    (["--watch", "db.json"], ["serve", "--watch", "db.json"]),
    (["db.json", "--readOnly"], ["serve", "db.json", "--read-only"]),
    (["--noCors", "--noGzip", "db.json"], ["serve", "--no-cors", "--no-gzip", "db.json"]),
    (["--no-cors=true", "db.json"], ["serve", "--no-cors", "db.json"]),
    (["--watch=false", "db.json"], ["serve", "--off=watch", "db.json"]),
    (["serve", "--watch=false", "db.json"], ["serve", "--off=watch", "db.json"]),
    (["validate", "--strict=false", "db.json"], ["validate", "db.json"]),
    (["--foreignKeySuffix", "_id"], ["serve", "--foreignKeySuffix", "_id"]),
    (["--maxBody=5M"], ["serve", "--max-body=5M"]),
    (["-p3000", "-Hlocalhost", "-p=1"], ["serve", "-p", "3000", "-H", "localhost", "-p=1"]),
    (["-wq", "-"], ["serve", "-wq", "-"]),
    (["--exec", "swift test --noCors"], ["serve", "--exec", "swift test --noCors"]),
    (["--port", "0", "--", "--readOnly"], ["serve", "--port", "0", "--", "--readOnly"]),
    (["-m", "a.js", "./b", "--watch", "db.json"], ["serve", "-m", "a.js", "-m", "./b", "--watch", "db.json"]),
    (["-m", "a.js", "db.json"], ["serve", "-m", "a.js", "db.json"]),
    (["--middlewares=a.js", "b.js"], ["serve", "--middlewares=a.js", "-m", "b.js"]),
    (["-v"], ["--version"]),
    (["--help"], ["serve", "--help"]),
    (["validate", "--strict", "a.json"], ["validate", "--strict", "a.json"]),
    (["--generate-completion-script", "zsh"], ["--generate-completion-script", "zsh"]),
    ([], ["serve"]),
  ])
  func `Arguments are brought into the parser's form`(_ arguments: [String], _ expected: [String]) {
    #expect(normalizer.normalize(arguments) == expected)
  }

  @Test(arguments: [
    ("valdate", "validate"), ("Init", "init"), ("validate", nil), ("posts", nil), ("init.json", nil), ("--init", nil),
    ("serv", nil),
  ])
  func `A first argument that names no file may be a command misspelt`(_ argument: String, _ expected: String?) {
    #expect(normalizer.meantSubcommand(argument, exists: { $0 == "serv" }) == expected)
  }
}
