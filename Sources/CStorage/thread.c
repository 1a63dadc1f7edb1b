#include "CStorage.h"

#include <sys/resource.h>
#include <unistd.h>

void storage_thread_lower_priority(void) {
#if defined(__linux__)
  // Here the nice value belongs to a thread, and 0 is the calling one. With 3 more than the process, whose nice value is
  // its first thread's, it gets half of what that gets.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)getpid()) + 3);
#endif
}
