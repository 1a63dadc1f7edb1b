import Testing

@testable import JSONServer
@testable import JSONServerHTTP

struct SecretTextTests {
  @Test(arguments: [
    ("postgres://ada:secret@db.example:5432/app", "postgres://ada@db.example:5432/app"),
    ("postgres://ada:sec?ret@db.example/app", "postgres://ada@db.example/app"),
    ("postgres://ada:@\u{301}secret@db.example/app", "postgres://ada@db.example/app"),
    (
      "postgresql:///app?sslmode=require&pass%77ord=secret&sslpassword=secret",
      "postgresql:///app?sslmode=require&pass%77ord=***&sslpassword=***"
    ),
    ("https://ada:secret@api.example/db", "https://api.example/db"),
    ("https://secret@api.example/db?api_key=secret&mail=a@b", "https://api.example/db?api_key=***&mail=a@b"),
    ("https://api.example:8080?mail=a@b", "https://api.example:8080?mail=a@b"),
    ("data/ada:secret@1.json", "data/ada:secret@1.json"), ("-", "-"),
  ])
  func `A source is shown without its password`(_ source: String, _ shown: String) {
    #expect(SecretText.source(source) == shown)
  }

  @Test(arguments: [
    "password", "userPassword", "PASSWORD_2", "old-pass-word", "access_token", "X-Api-Key", "apiKey", "key", "sig",
    "clientSecret", "pin", "card.pin", "SESSIONID", "mytoken", "“token”", "é_pin",
  ])
  func `The name of a secret`(_ name: String) {
    #expect(SecretName.matches(name))
    #expect(SecretName.isMentioned(in: "a text, (\(name)) in it"))
  }

  @Test(arguments: ["", "title", "pinned", "keys", "monkey", "tokens", "nextPageToken", "sync-token", "author", "été"])
  func `No name of a secret`(_ name: String) {
    #expect(!SecretName.matches(name))
    #expect(!SecretName.isMentioned(in: "a text, (\(name)) in it"))
  }
}
