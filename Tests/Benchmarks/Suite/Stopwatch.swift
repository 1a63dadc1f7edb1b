/// Times pieces of work and keeps the figures for one table.
struct Stopwatch {
  private struct Figure {
    let name: String
    let size: Int?
    let median: Duration
    let note: String
  }

  private var figures: [Figure] = []

  /// Times a piece of work.
  ///
  /// - Parameters:
  ///   - size: The number of records it is measured at, for work that is measured at several.
  ///   - samples: How often the time is taken; the median counts.
  ///   - repetitions: How often the work is done in each sample, for work shorter than the clock can measure.
  ///   - note: Says of the time of one piece of work what else it means.
  mutating func time(
    _ name: String, size: Int? = nil, samples: Int = 9, repetitions: Int = 1, note: (Duration) -> String = { _ in "" },
    _ work: () throws -> Void
  ) rethrows {
    var times: [Duration] = []
    for _ in 0..<samples {
      let start = ContinuousClock.now
      for _ in 0..<repetitions { try work() }
      times.append((.now - start) / repetitions)
    }
    add(times, of: name, size, note)
  }

  /// Times a piece of work that waits for something.
  mutating func time(
    _ name: String, samples: Int = 9, repetitions: Int, _ work: () async throws -> Void
  ) async rethrows {
    var times: [Duration] = []
    for _ in 0..<samples {
      let start = ContinuousClock.now
      for _ in 0..<repetitions { try await work() }
      times.append((.now - start) / repetitions)
    }
    add(times, of: name, nil) { _ in "" }
  }

  private mutating func add(_ times: [Duration], of name: String, _ size: Int?, _ note: (Duration) -> String) {
    let median = times.sorted()[times.count / 2]
    figures.append(Figure(name: name, size: size, median: median, note: note(median)))
  }

  /// The table; work that was measured at several sizes has its ratio to the smallest beside it.
  var table: String {
    var lines = ["| work | records | median | to the first | |", "| --- | ---: | ---: | ---: | --- |"]
    for figure in figures {
      let first = figures.first { $0.name == figure.name } ?? figure
      let ratio = figure.size == nil ? "" : Self.text(figure.median / first.median)
      let size = figure.size.map(String.init) ?? ""
      lines.append("| \(figure.name) | \(size) | \(Self.text(figure.median)) | \(ratio) | \(figure.note) |")
    }
    return lines.joined(separator: "\n")
  }

  /// A time in the unit that leaves it one to three digits before the point.
  private static func text(_ duration: Duration) -> String {
    let nanoseconds = duration / .nanoseconds(1)
    if nanoseconds < 1_000 { return "\(text(nanoseconds)) ns" }
    if nanoseconds < 1_000_000 { return "\(text(nanoseconds / 1_000)) µs" }
    return "\(text(nanoseconds / 1_000_000)) ms"
  }

  static func text(_ number: Double) -> String {
    let tenths = (number * 10).rounded()
    return tenths < 1_000 ? "\(tenths / 10)" : "\(Int(tenths / 10))"
  }
}
