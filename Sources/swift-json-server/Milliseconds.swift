/// A duration as logs show it: milliseconds with two decimals.
struct Milliseconds {
  let text: String

  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
    let fraction = String(hundredths % 100 + 100).dropFirst()
    text = "\(hundredths / 100).\(fraction)"
  }
}
