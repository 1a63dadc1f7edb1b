/// A description of changes to a JSON document.
package enum Patch: Sendable {
  /// Members to set and, with `null`, to remove (RFC 7396).
  case merge(ValidJSON)
  /// Operations to carry out in order (RFC 6902).
  case operations([PatchOperation])

  /// Returns the changed document.
  ///
  /// - Parameters:
  ///   - maximumDepth: The deepest nesting that the document may have.
  ///   - maximumGrowth: The most bytes by which operations may make the document larger than it was.
  ///   - maximumSize: The most bytes that the operations of a patch may handle: `copy` may double a document again and
  ///     again.
  /// - Throws: ``PatchError``; none of the changes counts then.
  /// - Complexity: O(size of the document and the patch) for a merge, the same for each operation otherwise.
  package func applied(
    to document: ValidJSON, maximumDepth: Int, maximumGrowth: Int = .max, maximumSize: Int = 256 << 20
  ) throws(PatchError) -> ValidJSON {
    switch self {
    case .merge(let patch): return patch.merged(into: document)
    case .operations(let operations):
      var draft = DocumentDraft(
        document, maximumDepth: maximumDepth, maximumGrowth: maximumGrowth, maximumSize: maximumSize)
      for operation in operations { try operation.apply(to: &draft) }
      return draft.document
    }
  }
}

extension Patch {
  /// Whether it says what becomes of a member.
  package func names(_ member: [UInt8]) -> Bool {
    switch self {
    case .merge(let patch): patch.member(member) != nil
    case .operations(let operations): operations.contains { $0.names(member) }
    }
  }

  /// Whether a document may have a member after it that it lacked before.
  package func mayAdd(_ member: [UInt8]) -> Bool {
    switch self {
    case .merge(let patch): patch.member(member) != nil
    case .operations(let operations): operations.contains { $0.mayAdd(member) }
    }
  }
}

/// Why a patch cannot be applied.
package struct PatchError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// The text is no patch.
    case malformed
    /// The document is not as the patch expects it.
    case conflict
    /// The document would become nested too deeply.
    case tooDeep
    /// The patch costs too much.
    case tooLarge
  }

  package let code: Code

  /// A sentence for a person, with the operation's position, counted from 0, and its pointer.
  package let message: String
}
