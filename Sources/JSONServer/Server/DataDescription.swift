package import JSONDatabase
package import JSONDescription
import JSONServerValues

/// The shape of a database, inferred from some of its records.
package struct DataDescription {
  /// The largest number of records of a resource that are examined.
  package static let maximumRecords = 1_000

  private let title: String
  private let resources: [ResourceType]
  private let relations: [ResourceRelation]
  private let dialect: Dialect
  private let areBodiesChecked: Bool
  /// Whether bodies are compared with the data.
  private let followsData: Bool

  /// Examines a database's records, at most 1,000 of each resource.
  init(of database: Database, title: String) {
    self.title = title
    resources = database.resourceNames.compactMap { name in
      let filled = database.filledMembers(of: name)
      switch database.resource(named: name) {
      case .collection(let collection)?:
        let records = collection.firstRecords(Self.maximumRecords).map { JSONValue($0) }
        return ResourceType(
          name: name, kind: .collection, idName: collection.idName, records: records, count: collection.count,
          filled: filled, allowsUpsert: database.schema.allowsUpsert(in: name), takesMany: database.dialect == .classic,
          checked: database.checkedMembers(of: name))
      // Numbers, texts and booleans, which 1.0 allows as resources, have no members to describe.
      case .singular(let value)? where value.kind == .object:
        return ResourceType(
          name: name, kind: .object, records: [JSONValue(value)], filled: filled,
          checked: database.checkedMembers(of: name))
      case .singular?: return nil
      case .unserved?, nil: return nil
      }
    }
    dialect = database.dialect
    areBodiesChecked = !database.schema.checks.isEmpty
    followsData = database.schema.checks.followsData
    relations = database.relations().map { relation in
      (
        parent: relation.parent, child: relation.child, foreignKey: relation.key,
        isList: database.schema.listKeys(to: relation.parent).contains(relation.key)
      )
    }
  }

  /// Reads a file's text and examines its records.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` and the place of the first error.
  package init(parsing bytes: [UInt8], name: String, schema: Schema) throws(ServerError) {
    // The description does not depend on generated ids.
    let parser = SourceParser(schema: schema, ids: IDGenerator { "" })
    let title = name.split(separator: "/").last.map(String.init) ?? name
    do throws(SourceFault) {
      self.init(of: try parser.parseDocument(UTF8Slice(bytes), name: name), title: title)
    } catch {
      throw ServerError(error)
    }
  }

  private func singular(_ name: String) -> String { Inflection.singular(of: name, dialect) }

  /// An OpenAPI 3.1 document of the interface.
  ///
  /// - Parameters:
  ///   - bodies: Whether bodies are described by the current data, or as openly as the server accepts them.
  ///   - basePath: The path of the interface.
  ///   - wrapName: The member of a response that holds records; `nil` for none.
  ///   - pages: The pages with a cursor; `nil` for other pages.
  ///   - signIn: How clients sign in; `nil` for a server without sign-in.
  func openAPI(
    _ bodies: OpenAPIDocument.Bodies, basePath: String = "/", wrapName: String? = nil,
    pages: CursorPages? = nil, signIn: OpenAPISignIn? = nil
  ) -> JSONObject {
    var document = OpenAPIDocument(
      title: title, resources: resources, relations: relations, basePath: basePath,
      bodies: bodies == .open && followsData ? .checked : bodies, singular: singular
    ).object
    if areBodiesChecked { document = OpenAPIChecking.added(to: document) }
    if let wrapName { document = OpenAPIWrapping.added(named: wrapName, to: document) }
    if let pages {
      document = OpenAPIPages.added(
        (pages.cursor, pages.limit), (pages.records, pages.next, pages.total), wrapName: wrapName, to: document)
    }
    return signIn?.added(to: document) ?? document
  }

  /// The OpenAPI document of ``openAPI(_:basePath:wrapName:pages:signIn:)`` for people and code generators, as text.
  package var openAPIText: String {
    JSONValue.object(openAPI(.shaped)).text()
  }

  /// Returns Swift source with a model for each resource and a client.
  package func swiftSource(access: SwiftAccess = .internal) -> String {
    SwiftGenerator(
      title: title, resources: resources, relations: relations, access: access, singular: singular
    ).source
  }
}
