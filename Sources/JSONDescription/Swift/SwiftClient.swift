/// The generated client: a property for each resource.
struct SwiftClient {
  private let models: [SwiftModel]
  private let signIn: SwiftSignIn?

  init(_ models: [SwiftModel], signIn: SwiftSignIn?) {
    self.models = models
    self.signIn = signIn
  }

  /// `Client`, unless the data has clients.
  var name: String {
    let taken = models.flatMap { [$0.resource.recordName, $0.resource.newRecordName, $0.resource.patchName] }
    return taken.contains("Client") ? "APIClient" : "Client"
  }

  func write(to source: inout SwiftSource, access: SwiftAccess) {
    let prefix = access.prefix
    source.line()
    source.line("/// A client of the server's resources.")
    source.block("\(access.typePrefix)struct \(name): Sendable") { source in
      source.line("/// Where the server is, such as `http://localhost:3000`.")
      source.line("\(prefix)let baseURL: URL")
      source.line("\(prefix)let session: URLSession")
      if signIn != nil { source.line("fileprivate let store: TokenStore") }
      source.line()
      if signIn != nil {
        source.line("/// - Parameter tokens: The tokens of who has signed in before.")
        source.function(
          "\(prefix)init",
          ["baseURL: URL", "session: URLSession = .shared", "tokens: SignInTokens? = nil"]
        ) { source in
          source.line("self.baseURL = baseURL")
          source.line("self.session = session")
          source.line("store = TokenStore(tokens)")
        }
      } else {
        source.block("\(prefix)init(baseURL: URL, session: URLSession = .shared)") { source in
          source.line("self.baseURL = baseURL")
          source.line("self.session = session")
        }
      }
      var names = UniqueNames(reserving: SwiftNames.client)
      for model in models {
        source.line()
        write(model, as: names.take(Identifier.lowerCamelCase(model.resource.resource.name)), access, to: &source)
      }
    }
  }

  private func write(_ model: SwiftModel, as property: String, _ access: SwiftAccess, to source: inout SwiftSource) {
    let resource = model.resource
    let path = SwiftText.literal("/" + OpenAPIPaths.segment(resource.resource.name))
    let type =
      switch resource.resource.kind {
      case .collection: "ResourceCollection<\(resource.recordName)>"
      case .object: "ResourceObject<\(resource.recordName), \(resource.patchName)>"
      }
    source.block("\(access.prefix)var \(SwiftNames.declaration(property)): \(type)") { source in
      source.line(".init(client: self, path: \(path))")
    }
  }
}
