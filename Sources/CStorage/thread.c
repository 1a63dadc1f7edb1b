#include "CStorage.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

int storage_thread_start(void *(*body)(void *), void *context) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, body, context);
  if (error != 0) {
    errno = error;
    return -1;
  }
  pthread_detach(thread);
  return 0;
}

void storage_thread_lower_priority(void) {
#if defined(__linux__)
  // Here the nice value belongs to a thread, and 0 is the calling one. With 3 more than the process, whose nice value is
  // its first thread's, it gets half of what that gets.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)getpid()) + 3);
#endif
}
