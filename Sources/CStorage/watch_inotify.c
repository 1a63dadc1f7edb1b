#define _GNU_SOURCE
#include "CStorage.h"

#if defined(__linux__) && !defined(STORAGE_WATCH_KQUEUE)

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

struct storage_watch {
  int descriptor;
  /// inotify's numbers of the directories.
  int *numbers;
  int number_count;
  char **names;
  int name_count;
};

struct storage_watch *storage_watch_open(void) {
  struct storage_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  watch->descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch->descriptor >= 0) return watch;
  int error = errno;
  free(watch);
  errno = error;
  return NULL;
}

static void forget_names(struct storage_watch *watch) {
  for (int index = 0; index < watch->name_count; index++) free(watch->names[index]);
  free(watch->names);
  watch->names = NULL;
  watch->name_count = 0;
}

void storage_watch_close(struct storage_watch *watch) {
  close(watch->descriptor);
  forget_names(watch);
  free(watch->numbers);
  free(watch);
}

int storage_watch_descriptor(const struct storage_watch *watch) { return watch->descriptor; }

static int remember_names(struct storage_watch *watch, const char *const *names, int count) {
  forget_names(watch);
  watch->names = calloc((size_t)count + 1, sizeof *watch->names);
  if (watch->names == NULL) return -1;
  for (int index = 0; index < count; index++) {
    watch->names[index] = strdup(names[index]);
    if (watch->names[index] == NULL) return -1;
    watch->name_count++;
  }
  return 0;
}

static int contains(const int *numbers, int count, int number) {
  for (int index = 0; index < count; index++) {
    if (numbers[index] == number) return 1;
  }
  return 0;
}

int storage_watch_set(
    struct storage_watch *watch, const char *const *directories, int directory_count, const char *const *names,
    int name_count) {
  if (remember_names(watch, names, name_count) != 0) return -1;
  int *numbers = calloc((size_t)directory_count + 1, sizeof *numbers);
  if (numbers == NULL) return -1;
  int count = 0;
  for (int index = 0; index < directory_count; index++) {
    // The same directory has the same number.
    int number = inotify_add_watch(
        watch->descriptor, directories[index],
        IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF |
            IN_DELETE_SELF | IN_ONLYDIR);
    if (number >= 0 && !contains(numbers, count, number)) numbers[count++] = number;
  }
  for (int index = 0; index < watch->number_count; index++) {
    if (!contains(numbers, count, watch->numbers[index])) inotify_rm_watch(watch->descriptor, watch->numbers[index]);
  }
  free(watch->numbers);
  watch->numbers = numbers;
  watch->number_count = count;
  return 0;
}

static int concerns(const struct storage_watch *watch, const struct inotify_event *event) {
  // The watch of a directory that is not watched any more has ended.
  if (event->mask & IN_IGNORED && !contains(watch->numbers, watch->number_count, event->wd)) return 0;
  // No name: the directory itself was moved or removed, or events were lost.
  if (event->len == 0) return 1;
  for (int index = 0; index < watch->name_count; index++) {
    if (strcmp(event->name, watch->names[index]) == 0) return 1;
  }
  return 0;
}

int storage_watch_drain(struct storage_watch *watch) {
  _Alignas(struct inotify_event) char buffer[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
  int result = 0;
  for (;;) {
    ssize_t size = read(watch->descriptor, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN ? result : -1;
    for (char *next = buffer; next < buffer + size;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      if (concerns(watch, event)) result = 1;
      next += sizeof(struct inotify_event) + event->len;
    }
  }
}

#endif
