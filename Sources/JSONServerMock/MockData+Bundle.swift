public import Foundation

extension MockData {
  /// A file of JSON or JSON5 among the resources of a bundle.
  ///
  /// ```swift
  /// @Test(.jsonServer(.resource("shop.json", in: .module)))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The file's name, with the folders within the bundle before it.
  ///   - bundle: The bundle, such as `.module` for that of a package's target.
  public static func resource(_ name: String, in bundle: Bundle) -> MockData {
    let url = bundle.url(forResource: name, withExtension: nil)
    let path = bundle.bundlePath
    return MockData { _ in
      guard let url else { throw MockServerError(.fileMissing, "There is no resource '\(name)' in '\(path)'.") }
      return try contents(of: url)
    }
  }
}
