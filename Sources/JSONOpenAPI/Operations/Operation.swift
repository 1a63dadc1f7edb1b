package import JSONServerValues

/// A method of a path, as a document describes it.
package struct Operation: Sendable {
  package struct Parameter: Sendable {
    package enum Location: String, Sendable { case path, query, header, cookie }

    package let name: String
    package let location: Location
    let isRequired: Bool
    let schema: [JSONSchema.ID]
    /// Whether the value is JSON.
    let isJSON: Bool
    let style: String
    let explodes: Bool
    let allowsEmpty: Bool
  }

  /// A content of a body: its type, schema and examples.
  package struct Content: Sendable {
    package let type: String
    package let schema: [JSONSchema.ID]
    /// The examples by name; the one of `example` has no name.
    package let examples: [(name: String, value: JSONValue)]
    /// Whether the type is JSON, or allows it.
    package let isJSON: Bool
    /// The type of responses: JSON, or plain text, where the document allows several.
    let servedType: String

    init(type: String, schema: [JSONSchema.ID], examples: [(name: String, value: JSONValue)]) {
      (self.type, self.schema, self.examples) = (type, schema, examples)
      let plain = type.prefix { $0 != ";" }.lowercased()
      isJSON = ["application/json", "*/*", "application/*"].contains(plain) || plain.hasSuffix("+json")
      servedType = type.contains("*") ? isJSON ? "application/json" : "text/plain" : type
    }
  }

  package struct Reply: Sendable {
    /// The status as the document writes it: `200`, `4XX`, `default`.
    package let status: String
    package let contents: [Content]
    package let headers: [(name: String, isRequired: Bool, schema: [JSONSchema.ID])]

    /// The content that is served: JSON, else the first that is not XML.
    package var content: Content? {
      contents.first(where: \.isJSON) ?? contents.first { !$0.type.contains("xml") } ?? contents.first
    }
  }

  /// A way to sign in: all of its keys are needed.
  package enum Credential: Sendable {
    case authorization(scheme: String)
    case key(name: String, Parameter.Location)
  }

  /// What an operation is.
  package enum Kind: Sendable {
    case stored(Storage)
    case example
    case sample
    /// An action whose first status has no body.
    case empty
    case refused(DocumentFault)
  }

  /// What an operation does with stored data.
  package struct Storage: Sendable {
    package enum Action: String, Sendable { case list, create, read, replace, merge, delete }

    package let action: Action
    /// The position of the collection.
    package let collection: Int
    /// Whether it is about one record or object, which is there already.
    package var isOfItem: Bool { ![.list, .create].contains(action) }
    /// The way from the body of a request to the record.
    var bodyPath: [String] = []
    /// The way from the body of a response to the record or the list; `nil` where the response shows neither.
    var resultPath: [String]?
  }

  /// A parameter of the path that names a stored item, which must exist.
  package struct Ancestor: Sendable {
    let parameter: String
    let collection: Int
  }

  package let method: String
  package let path: String
  /// The position of the path.
  package let pathIndex: Int
  /// The parameter that is the last segment of the path; `nil` for another segment.
  let lastParameter: String?
  package internal(set) var kind = Kind.empty
  var parameters: [Parameter] = []
  var body: (isRequired: Bool, contents: [Content])?
  package internal(set) var replies: [Reply] = []
  package internal(set) var security: [[Credential]] = []
  /// The stored items in the path, the outermost first; without the operation's own item.
  var ancestors: [Ancestor] = []
  /// The parameters of the path that stand for no stored item: each is kept in a member of the record.
  var scopes: [(parameter: String, member: String)] = []

  /// What it does with stored data; `nil` for a response from the document.
  package var storage: Storage? { if case .stored(let storage) = kind { storage } else { nil } }

  /// The first success that the document lists.
  package var success: Reply? {
    replies.first { $0.status.hasPrefix("2") } ?? replies.first { $0.status == "default" }
      ?? replies.first { $0.status.hasPrefix("3") }
  }

  /// The response of a status: the exact one, else that of its class, else `default`.
  package func reply(_ status: Int) -> Reply? {
    replies.first { $0.status == String(status) } ?? replies.first { $0.status.uppercased() == "\(status / 100)XX" }
      ?? replies.first { $0.status == "default" }
  }

  /// Whether the document lists a status itself.
  func lists(_ status: Int) -> Bool { replies.contains { $0.status == String(status) } }

  /// The number of a status that the document writes.
  package static func number(of status: String, or other: Int) -> Int {
    Int(status) ?? status.first.flatMap { Int(String($0)) }.map { $0 * 100 } ?? other
  }
}

/// Records that operations share.
package struct Collection: Sendable {
  package let name: String
  /// Whether it is a single object.
  package let isObject: Bool
  /// The member that holds the ids.
  package internal(set) var idName = "id"
  /// The schemas of the ids, from the records and from the path.
  var idSchema: [JSONSchema.ID] = []
  /// The schemas of the records in responses.
  var views: [[JSONSchema.ID]] = []
  /// The schemas of the records in requests.
  var bodies: [[JSONSchema.ID]] = []
  /// The collections of the parents, each with the member that holds the parent's id.
  package internal(set) var parents: [(collection: Int, member: String)] = []
  /// The members that no schema declares, and no response shows.
  package internal(set) var hidden: Set<String> = []

  /// All schemas that tell about the members.
  var schemas: [JSONSchema.ID] { (views + bodies).flatMap(\.self) }
}
