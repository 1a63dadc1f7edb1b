#if PostgreSQL
  package import OrderedJSON

  /// One record, or one object that is a resource by itself, as it is kept.
  package struct StoredRow: Sendable {
    /// The position of its resource.
    package let resource: Int
    /// Its place among the resource's records.
    package let slot: Int
    /// Its JSON text with the white space around it; `nil` where there is no record any more.
    package let text: UTF8Slice?

    package init(resource: Int, slot: Int, text: UTF8Slice?) {
      self.resource = resource
      self.slot = slot
      self.text = text
    }
  }

  /// A resource apart from what it holds.
  package struct StoredResource: Sendable {
    package let name: String
    package let isCollection: Bool
    /// The text from the member before to the value; `nil` for a resource that was added by SQL.
    package let lead: String?
    /// The white space after the value.
    package let trail: String
    /// The white space before the closing bracket while there are records, and while there are none.
    package let tail: String
    package let emptyTail: String

    package init(name: String, isCollection: Bool, lead: String?, trail: String, tail: String, emptyTail: String) {
      self.name = name
      self.isCollection = isCollection
      self.lead = lead
      self.trail = trail
      self.tail = tail
      self.emptyTail = emptyTail
    }
  }

  /// A database apart from its rows.
  package struct StoredFrame: Sendable {
    /// The text before the first resource and after the last one.
    package let prefix: String
    package let suffix: String
    package let resources: [StoredResource]

    package init(prefix: String, suffix: String, resources: [StoredResource]) {
      self.prefix = prefix
      self.suffix = suffix
      self.resources = resources
    }
  }

  /// A whole database, as it is kept or is to be.
  package struct StoredDatabase: Sendable {
    package let frame: StoredFrame
    package let rows: [StoredRow]

    package init(_ frame: StoredFrame, rows: [StoredRow]) {
      self.frame = frame
      self.rows = rows
    }
  }
#endif
