/// Marks dictionaries, whose keys are data and stand in no order.
///
/// One whose keys are not texts, integers or `CodingKeyRepresentable` is coded as an array, which has no names to keep.
protocol AnyDictionary {}

extension Dictionary: AnyDictionary {}
