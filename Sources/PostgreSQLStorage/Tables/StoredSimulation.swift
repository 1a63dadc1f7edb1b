#if PostgreSQL
  /// A fault or a stub, as it is kept.
  package struct StoredRule: Sendable {
    /// `fault` or `stub`.
    package let kind: String
    /// Ascending in the order in which the rules of a kind were added.
    package let id: Int
    /// JSON that this library does not look into.
    package let text: String
    /// How many requests it is still for; `nil` for no end.
    package let timesLeft: Int?
  }

  /// What the servers of a database share besides the data and its snapshots.
  package struct StoredSimulation: Sendable {
    /// The version of the data at which it was read.
    package let version: Int
    /// By kind and id.
    package let rules: [StoredRule]
    /// An object of the settings that were changed; `nil` for none.
    package let settings: String?
  }

  /// What a request met, and is counted now.
  package struct StoredMeeting: Sendable {
    /// How many requests the rule has met, this one among them.
    package let count: Int
    /// How many it is still for; `nil` for no end.
    package let timesLeft: Int?
  }

  /// A version of the data that is kept by a name.
  package struct StoredSnapshot: Sendable {
    package let name: String
    /// When it was kept, in milliseconds since 1970.
    package let milliseconds: Int
  }

  /// A token that a user was given.
  package struct StoredToken: Sendable {
    package let text: String
    /// Whether it only serves to get others.
    package let isRefresh: Bool
    /// The sign-in that it goes back to, which ends all its tokens.
    package let origin: String
    /// The id of the user's record, and the slot of it: whoever gets the id later has another.
    package let user: String
    package let slot: Int
    /// What the user signed in with.
    package let email: String
    /// When it expires, in milliseconds since 1970.
    package let end: Int

    package init(
      _ text: String, isRefresh: Bool, origin: String, user: String, slot: Int, email: String, end: Int
    ) {
      self.text = text
      self.isRefresh = isRefresh
      self.origin = origin
      self.user = user
      self.slot = slot
      self.email = email
      self.end = end
    }
  }
#endif
