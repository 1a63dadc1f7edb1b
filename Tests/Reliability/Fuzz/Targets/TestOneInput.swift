/// Gives libFuzzer's bytes to the target of this run.
///
/// The name is the one that libFuzzer's own `main` looks for, which is linked though it is not run.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  FuzzTarget.current?.check(UnsafeBufferPointer(start: data, count: size))
  return 0
}
