#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop: tries inputs on a callback until its options say that it is enough. The callback returns 0.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

/// The callback, which the Swift side defines.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
