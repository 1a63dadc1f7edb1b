import CFuzzer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs libFuzzer, with its options and corpus directories as arguments, on the target that `FUZZ_TARGET` names.
guard FuzzTarget.current != nil else {
  print("FUZZ_TARGET must be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
  exit(64)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments, LLVMFuzzerTestOneInput))
