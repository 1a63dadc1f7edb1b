/// The generated client: a property for each resource.
struct SwiftClient {
  private let models: [SwiftModel]

  init(_ models: [SwiftModel]) {
    self.models = models
  }

  /// `Client`, unless the data has clients.
  var name: String {
    let taken = models.flatMap { [$0.resource.recordName, $0.resource.newRecordName, $0.resource.patchName] }
    return taken.contains("Client") ? "APIClient" : "Client"
  }

  func write(to source: inout SwiftSource) {
    source.line()
    source.line("/// A client of the server's resources.")
    source.block("struct \(name): Sendable") { source in
      source.line("/// Where the server is, such as `http://localhost:3000`.")
      source.line("let baseURL: URL")
      source.line("let session: URLSession")
      source.line()
      source.block("init(baseURL: URL, session: URLSession = .shared)") { source in
        source.line("self.baseURL = baseURL")
        source.line("self.session = session")
      }
      var names = UniqueNames(reserving: SwiftNames.client)
      for model in models {
        source.line()
        write(model, as: names.take(Identifier.lowerCamelCase(model.resource.resource.name)), to: &source)
      }
    }
  }

  private func write(_ model: SwiftModel, as property: String, to source: inout SwiftSource) {
    let resource = model.resource
    let path = SwiftText.literal("/" + OpenAPIPaths.segment(resource.resource.name))
    let type =
      switch resource.resource.kind {
      case .collection: "ResourceCollection<\(resource.recordName)>"
      case .object: "ResourceObject<\(resource.recordName), \(resource.patchName)>"
      }
    source.block("var \(SwiftNames.declaration(property)): \(type)") { source in
      source.line(".init(client: self, path: \(path))")
    }
  }
}
