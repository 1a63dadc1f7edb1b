import ArgumentParser
import JSONServer

/// Prints code or a document made from the data of a file.
struct GenerateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print Swift models with a client, or an OpenAPI document, made from a file.",
    discussion: "The output goes to standard output: swift-json-server generate swift database.json > Models.swift")

  enum Product: String, ExpressibleByArgument, CaseIterable {
    case swift
    case openapi
  }

  @Argument(help: "What to print: swift or openapi.")
  var product: Product

  @Argument(help: "The file.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      guard let bytes = FileText.contents(of: file) else {
        throw CommandFailure(.missingSource, "\(file): the file cannot be read; check its name and its permissions.")
      }
      do throws(ServerError) {
        let description = try DataDescription(parsing: bytes, name: file)
        switch product {
        case .swift: print(description.swiftSource)
        case .openapi: print(description.openAPIText)
        }
        return 0
      } catch {
        throw CommandFailure(error)
      }
    }
    guard status == 0 else { throw ExitCode(status) }
  }
}
