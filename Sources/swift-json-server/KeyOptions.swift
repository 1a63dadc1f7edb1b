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
