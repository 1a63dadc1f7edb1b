import Foundation
import PackagePlugin

/// Runs the server from a package that depends on this one: `swift package json-server --watch database.json`.
///
/// Paths are the package's. While it runs, SwiftPM keeps other commands out of the package's `.build`; give one of the
/// two another `--scratch-path`.
@main
struct JSONServerPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "swift-json-server").url
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    // The standard input is SwiftPM's own, by which it talks to the plugin.
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Diagnostics.error("swift-json-server ended with exit code \(process.terminationStatus).")
    }
  }
}
