/// Marks the dictionaries whose keys are names of members.
protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}
