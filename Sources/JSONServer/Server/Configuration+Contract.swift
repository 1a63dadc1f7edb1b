import JSONDatabase
import JSONOpenAPI
import JSONServerResources
import JSONServerValues
import JSONStorage

extension Server.Configuration {
  /// The same configuration with its OpenAPI document, and with first records for a source in memory that lacks them.
  package func readingContract() throws(ServerError) -> Server.Configuration {
    guard let openAPI, contract == nil else { return self }
    var configuration = self
    let contract = try Contract(path: openAPI, checksRequests: checksRequests)
    configuration.contract = contract
    for collection in contract.document.collections where idNames[collection.name] == nil {
      configuration.idNames[collection.name] = collection.idName
    }
    if case .value(let value) = source {
      var data = value.object ?? JSONObject()
      for (name, first) in contract.firstData where data[name] == nil { data[name] = first }
      configuration.source = .value(.object(data))
    }
    return configuration
  }

  /// What the start says about the OpenAPI document.
  var contractWarnings: [String] { contract?.notes.map(\.description) ?? [] }

  /// Refuses data that the OpenAPI document forbids.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` that names the invalid records.
  func checkContract(_ database: Database) throws(ServerError) {
    guard let contract, checksRequests, !toleratesData else { return }
    let problems = contract.problems(of: database)
    guard !problems.isEmpty else { return }
    let name: String
    switch source {
    case .file(let path), .text(_, name: let path): name = path
    case .directory, .value, .postgreSQL: name = title
    }
    var places = OpenFile(path: name).map { DocumentPlaces(in: $0.read(from: 0, count: $0.size), name: name) }
    let lines = problems.prefix(10).map { path, message in
      places?.fault(message, at: path).description ?? "\(name): \(message)"
    }
    let more = problems.count > 10 ? "\n… and \(problems.count - 10) more." : ""
    throw ServerError(
      .sourceInvalid,
      lines.joined(separator: "\n") + more
        + "\nThe OpenAPI document forbids this; correct the records, or give --no-check.")
  }
}
