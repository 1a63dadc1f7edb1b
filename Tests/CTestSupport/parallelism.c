#include "CTestSupport.h"

#include <stdlib.h>

// Swift Testing starts all tests of a process at once. On two processors a step of each of a thousand tests takes longer
// than the ten seconds in which a connection has to be made. Swift Testing reads this variable when its first test starts.
__attribute__((constructor)) static void limit_parallel_tests(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
