#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>

#if defined(__linux__)

#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int storage_watch_open(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int storage_watch_add(int watch, const char *directory) {
  return inotify_add_watch(
      watch, directory,
      IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF |
          IN_DELETE_SELF | IN_ONLYDIR);
}

int storage_watch_remove(int watch, int number) { return inotify_rm_watch(watch, number); }

static int concerns(const struct inotify_event *event, const char *const *names, int count) {
  // No name: the directory itself was moved or removed, or events were lost.
  if (event->len == 0) return 1;
  for (int index = 0; index < count; index++) {
    if (strcmp(event->name, names[index]) == 0) return 1;
  }
  return 0;
}

int storage_watch_drain(int watch, const char *const *names, int count) {
  _Alignas(struct inotify_event) char buffer[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
  int result = 0;
  for (;;) {
    ssize_t size = read(watch, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN ? result : -1;
    for (char *next = buffer; next < buffer + size;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      if (concerns(event, names, count)) result = 1;
      next += sizeof(struct inotify_event) + event->len;
    }
  }
}

#else

static int unsupported(void) {
  errno = ENOTSUP;
  return -1;
}

int storage_watch_open(void) { return unsupported(); }

int storage_watch_add(int watch, const char *directory) {
  (void)watch, (void)directory;
  return unsupported();
}

int storage_watch_remove(int watch, int number) {
  (void)watch, (void)number;
  return unsupported();
}

int storage_watch_drain(int watch, const char *const *names, int count) {
  (void)watch, (void)names, (void)count;
  return unsupported();
}

#endif
