import JSONStorage

/// One version of a file of a source: one that was read, or one to write.
protocol SourceFile: FileContent {
  /// What a version that was read holds; all that the store hands out were.
  var source: LoadedSource.Content { get }
}
