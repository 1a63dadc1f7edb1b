#include "CStorage.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

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
