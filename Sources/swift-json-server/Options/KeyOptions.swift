import ArgumentParser

/// What the ids of records and the references to them are called.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The member that holds a record's id, for all resources or for one (posts=post_id); repeatable. (default: id)",
      valueName: "name"))
  var id: [String] = []

  @Option(
    name: [.customLong("foreignKeySuffix"), .customLong("fks")],
    help: ArgumentHelp("What a foreign key ends with, as in postId. (default: Id)", valueName: "suffix"))
  var foreignKeySuffix: String?
}

/// What `--id` names: the member that holds a record's id, for all resources or for one.
struct IDNames: Hashable {
  /// The member in all resources that ``names`` leaves out; `nil` when none is named.
  private(set) var common: String?
  /// The members in some resources.
  private(set) var names: [String: String] = [:]

  /// Reads arguments such as `key` and `posts=key`; of several for the same resources the last counts.
  ///
  /// - Throws: ``CommandFailure`` when one names no member.
  init(_ arguments: [String]) throws(CommandFailure) {
    for argument in arguments {
      guard !argument.isEmpty, !argument.hasPrefix("="), !argument.hasSuffix("=") else {
        throw CommandFailure(.usage, "--id: '\(argument)' names no member; write --id key, or --id posts=key.")
      }
      if let mark = argument.firstIndex(of: "=") {
        names[String(argument[..<mark])] = String(argument[argument.index(after: mark)...])
      } else {
        common = argument
      }
    }
  }
}
