import ArgumentParser
import JSONDatabase

/// A file of data that is looked at and not served, and what its ids and references are called.
struct DataFileOptions: ParsableArguments {
  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  @OptionGroup var keys: KeyOptions

  /// What a document made from the file calls it.
  var name: String { isStandardInput ? "standard input" : file }

  /// The names that serving the file with the same options goes by.
  var schema: Schema {
    get throws(CommandFailure) {
      let ids = try IDNames(keys.id)
      var schema = Schema()
      schema.idName = ids.common ?? schema.idName
      schema.idNames = ids.names
      schema.foreignKeySuffix = keys.foreignKeySuffix ?? schema.foreignKeySuffix
      return schema
    }
  }

  private var isStandardInput: Bool { file == "-" }

  /// Reads the whole file, or all of standard input.
  ///
  /// - Throws: ``CommandFailure`` that says whether the file is missing or cannot be read.
  func contents() throws(CommandFailure) -> [UInt8] {
    if !isStandardInput, FileKind(of: file) == .missing {
      throw CommandFailure(.missingSource, "\(file): there is no such file; check the name.")
    }
    if FileKind(of: file) == .directory {
      throw CommandFailure(.unreadable, "\(file): this is a directory; give a file that holds the whole database.")
    }
    guard let bytes = isStandardInput ? FileText.contents(from: 0) : FileText.contents(of: file) else {
      throw CommandFailure(.unreadable, "\(file): the file cannot be read; check its permissions.")
    }
    return bytes
  }
}
