import JSONDatabase
import JSONStorage

/// What was read from a source, or from one file of it.
struct LoadedSource: Sendable {
  enum Content: Sendable {
    /// The whole database.
    case whole(Database)
    /// The resource of one file of several.
    case part(DatabasePart)
  }

  let content: Content
  /// How many edits from outside the file has seen up to this version.
  let generation: Int

  init(_ content: Content, generation: Int) {
    self.content = content
    self.generation = generation
  }

  /// The file's resource; empty when the file holds the whole database.
  var name: String {
    switch content {
    case .whole: ""
    case .part(let part): part.name
    }
  }

  /// The database with what was read in its place.
  func applied(to database: Database, ids: IDGenerator) -> Database {
    switch content {
    case .whole(let whole): return whole
    case .part(let part):
      var database = database
      database.replace(with: part, ids: ids)
      return database
    }
  }
}

extension FileVersion where Content: SourceFile {
  var loaded: LoadedSource { LoadedSource(content.source, generation: generation) }
}
