import JSONDatabase

extension Endpoint {
  static let listMethods = ["GET", "HEAD", "POST"]
  static let recordMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  static let singularMethods = ["GET", "HEAD", "POST", "PUT", "PATCH"]
  static let readMethods = ["GET", "HEAD"]

  /// The methods that a path takes, beside OPTIONS; `nil` for a path that leads to no resource.
  static func methods(at path: Path, _ database: inout Database) -> [String]? {
    let segments = path.segments
    guard let first = segments.first else { return nil }
    if first == "db", segments.count == 1 { return readMethods }
    guard let name = database.resourceName(matching: first), let resource = database.resource(named: name) else {
      return nil
    }
    switch (resource, segments.count) {
    case (.collection, 1): return listMethods
    case (.collection, 2): return recordMethods
    case (.collection, 3):
      guard let child = database.resourceName(matching: segments[2]) else { return nil }
      if case .collection? = database.resource(named: child) { return listMethods }
      return singularMethods
    case (.singular, 1): return singularMethods
    case (.collection, _), (.singular, _), (.unserved, _): return nil
    }
  }
}
