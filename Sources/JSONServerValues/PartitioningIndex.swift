extension RandomAccessCollection where Index == Int {
  /// The first index whose element satisfies a predicate that holds for all elements from some place on. O(log n).
  ///
  /// Bisects in the same steps as V8, so that a sort without a consistent order has V8's result.
  @inlinable package func partitioningIndex(_ predicate: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
