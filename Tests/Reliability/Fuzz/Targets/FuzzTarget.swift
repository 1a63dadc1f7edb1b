#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A reader of what strangers send, and what must hold of it for any bytes.
enum FuzzTarget: String, CaseIterable {
  case json, json5, query, conditions, pattern, rewrite, multipart, csv

  /// The target of this run; `nil` when `FUZZ_TARGET` names none.
  static let current = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTarget.init)

  /// Gives bytes to the reader, and stops the program when something does not hold.
  func check(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch self {
    case .json: JSONChecks.checkJSON(bytes)
    case .json5: JSONChecks.checkJSON5(bytes)
    case .query: QueryChecks.checkTarget(bytes)
    case .conditions: QueryChecks.checkConditions(bytes)
    case .pattern: PatternChecks.check(bytes)
    case .rewrite: RewriteChecks.check(bytes)
    case .multipart: BodyChecks.checkMultipart(bytes)
    case .csv: BodyChecks.checkCSV(bytes)
    }
  }
}
