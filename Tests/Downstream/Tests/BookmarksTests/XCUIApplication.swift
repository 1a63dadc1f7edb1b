#if os(Linux)
  import Foundation

  /// What the UI test uses of XCTest's class of this name, which only Apple's systems have: it launches the app in its own
  /// process, with an environment, and looks at what the app shows.
  @MainActor
  final class XCUIApplication {
    var launchEnvironment: [String: String] = [:]
    private var output = ""

    func launch() {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "BookmarksConsole")
      process.environment = ProcessInfo.processInfo.environment.merging(launchEnvironment) { $1 }
      process.standardOutput = pipe
      guard (try? process.run()) != nil else { return }
      output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
    }

    var staticTexts: Texts { Texts(shown: output.split(separator: "\n").map(String.init)) }

    struct Texts {
      let shown: [String]

      subscript(text: String) -> Text { Text(exists: shown.contains(text)) }
    }

    struct Text {
      let exists: Bool

      func waitForExistence(timeout: TimeInterval) -> Bool { exists }
    }
  }
#endif
