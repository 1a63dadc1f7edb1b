extension WallClock {
  /// Gives a file a name that contains the time of day.
  ///
  /// - Parameter give: Given that part of the name; called again, with a number added, while the name exists.
  static func name(_ give: (_ part: String) throws(SystemError) -> String) throws(SystemError) -> String {
    let time = fileNamePart
    var number = 1
    while true {
      do {
        // "~" sorts after ".", so that the second version of a millisecond stays behind the first.
        return try give(number == 1 ? time : "\(time)~\(number)")
      } catch {
        number += 1
        guard error.isExisting, number < 1000 else { throw error }
      }
    }
  }
}
