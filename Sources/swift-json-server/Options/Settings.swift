#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options in effect, and where they came from beside the command line.
struct Settings {
  /// The options as they stand on the command line.
  let given: ServeOptions
  /// The options, filled up from the environment and the settings file.
  let options: ServeOptions
  /// The settings file, whether it exists or not.
  let path: String
  /// What a person should know.
  let warnings: [String]

  /// Reads what the options leave open from the environment and the settings file.
  ///
  /// - Throws: ``CommandFailure`` that names the file, its place or the variable at fault.
  init(_ given: ServeOptions) throws(CommandFailure) {
    var options = given
    try options.fill(from: ProcessInfo.processInfo.environment)
    path = options.config ?? SettingsFile.defaultPath
    var warnings: [String] = []
    if let text = FileText.contents(of: path) {
      var file = try SettingsFile(parsing: text, path: path)
      try options.fill(from: &file)
      warnings = file.unknownNames.map { [path] name in "\(path): no option is named '\(name)'; it is ignored." }
    } else if options.config != nil || FileKind(of: path) != .missing {
      throw CommandFailure(.usage, "\(path): the settings file cannot be read; check its name and its permissions.")
    }
    if options.poll, !options.watch { warnings.append("--poll looks for edits only with --watch; give both.") }
    self.warnings = warnings
    self.given = given
    self.options = options
  }

  /// The files of the certificate and of its key, if HTTPS is served.
  var certificatePaths: [String] { [options.cert, options.key].compactMap { $0 } }

  /// The files beside the source whose edits count.
  var watchedPaths: [String] { [path] + [options.routes, options.stubs].compactMap { $0 } + certificatePaths }
}
