import Foundation
import PackagePlugin

/// Runs the server from a package that depends on this one: `swift package json-server --watch database.json`.
///
/// Paths are the package's. While it runs, SwiftPM keeps other commands out of the package's `.build`; give one of the
/// two another `--scratch-path`. On macOS it needs `--disable-sandbox`, since SwiftPM's sandbox lets nothing listen.
@main
struct JSONServerPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try executable(context)
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    // The server is in a process group of its own, so that Ctrl-C reaches SwiftPM alone, which ends the plugin: with the
    // plugin this pipe goes, and with the pipe the server.
    let input = Pipe()
    process.standardInput = input
    process.environment = ProcessInfo.processInfo.environment.merging(["JSON_SERVER_STOP_AT_END_OF_INPUT": "1"]) { $1 }
    try process.run()
    process.waitUntilExit()
    withExtendedLifetime(input) {}
    if process.terminationStatus == Self.cannotListen {
      Diagnostics.error(Self.sandboxHint)
    } else if process.terminationStatus != 0 {
      Diagnostics.error("swift-json-server ended with exit code \(process.terminationStatus).")
    }
  }

  /// The released executable where the manifest names one; elsewhere the package's product, which this call builds.
  private func executable(_ context: PluginContext) throws -> URL {
    if let released = try? context.tool(named: "swift-json-server").url { return released }
    // A dependency on the product would have every build compile all modules a second time, as tools.
    let build = try packageManager.build(.product("swift-json-server"), parameters: .init())
    guard build.succeeded, let executable = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
      throw BuildFailure(log: build.logText)
    }
    return executable.url
  }

  /// The exit code of a server that cannot listen on its address.
  private static let cannotListen: Int32 = 71

  private static let sandboxHint =
    "The server cannot listen. On macOS, SwiftPM's sandbox does not let a plugin listen; "
    + "run 'swift package --disable-sandbox json-server …'."
}

/// The product could not be built.
private struct BuildFailure: Error, CustomStringConvertible {
  let log: String

  var description: String { "swift-json-server cannot be built:\n\(log)" }
}
