import ArgumentParser
import JSONServer

/// Prints code or a document made from the data of a file.
struct GenerateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print Swift models with a client, or an OpenAPI document, made from a file.",
    discussion: """
      The output goes to standard output: swift-json-server generate swift database.json > Models.swift

      Exit codes:
      \(exitCodes)
      """)

  private static let exitCodes = ExitStatus.table(
    "all is printed",
    [
      (.invalidSource, "the file is no JSON, or would be refused"), (.missingSource, "the file does not exist"),
      (.unreadable, "the file cannot be read"),
    ])

  enum Product: String, ExpressibleByArgument, CaseIterable {
    case swift
    case openapi
  }

  @Argument(help: "What to print: swift or openapi.")
  var product: Product

  @Option(help: "Who sees the Swift declarations: internal, package or public; internal without it.")
  var access: DataDescription.Access?

  @OptionGroup var options: DataFileOptions

  func validate() throws {
    guard access == nil || product == .swift else {
      throw ValidationError("--access is for Swift; an OpenAPI document has no such thing.")
    }
  }

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      let (bytes, schema) = (try options.contents(), try options.schema)
      do throws(ServerError) {
        let description = try DataDescription(parsing: bytes, name: options.name, schema: schema)
        switch product {
        case .swift: print(description.swiftSource(access: access ?? .internal), terminator: "")
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

extension DataDescription.Access: ExpressibleByArgument {}
