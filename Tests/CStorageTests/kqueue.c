// A stand-in for kqueue(2) on Linux, as far as sys/event.h beside it goes.

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/event.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

// Registrations of all queues; a test has few.
static struct registration {
  int queue;
  int descriptor;
  int number;
  uint32_t wanted;
  uint32_t waiting;
} registrations[64];

enum { CAPACITY = sizeof registrations / sizeof registrations[0] };

int kqueue(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

static int add(int queue, const struct kevent *change) {
  struct stat status;
  char path[64];
  int descriptor = (int)change->ident;
  if (fstat(descriptor, &status) != 0) return -1;
  // "A write occurred on the file": of a directory, that an entry came, went or was renamed; not what happens to the
  // file that the entry names.
  uint32_t mask = S_ISDIR(status.st_mode) ? IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO : IN_MODIFY | IN_ATTRIB;
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int number = inotify_add_watch(queue, path, mask | IN_MOVE_SELF | IN_DELETE_SELF);
  if (number < 0) return -1;
  for (int index = 0; index < CAPACITY; index++) {
    if (registrations[index].wanted != 0) continue;
    registrations[index] = (struct registration){queue, descriptor, number, change->fflags, 0};
    return 0;
  }
  errno = ENOMEM;
  return -1;
}

static int remove_one(int queue, const struct kevent *change) {
  for (int index = 0; index < CAPACITY; index++) {
    struct registration *registration = &registrations[index];
    if (registration->wanted == 0 || registration->queue != queue) continue;
    if (registration->descriptor != (int)change->ident) continue;
    inotify_rm_watch(queue, registration->number);
    *registration = (struct registration){0};
    return 0;
  }
  errno = ENOENT;
  return -1;
}

static uint32_t notes(const struct registration *registration, uint32_t mask) {
  uint32_t result = 0;
  struct stat status;
  if (mask & (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)) result |= NOTE_WRITE;
  if (mask & IN_MODIFY) result |= NOTE_WRITE | NOTE_EXTEND;
  if (mask & IN_ATTRIB) result |= NOTE_ATTRIB;
  if (mask & IN_MOVE_SELF) result |= NOTE_RENAME;
  // An open file that loses its last name shows as a change of its attributes.
  if (fstat(registration->descriptor, &status) == 0 && status.st_nlink == 0) result |= NOTE_DELETE;
  return result & registration->wanted;
}

static void collect(int queue) {
  _Alignas(struct inotify_event) char buffer[16384];
  for (;;) {
    ssize_t size = read(queue, buffer, sizeof buffer);
    if (size <= 0) return;
    for (char *next = buffer; next < buffer + size;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      for (int index = 0; index < CAPACITY; index++) {
        struct registration *registration = &registrations[index];
        if (registration->wanted == 0 || registration->queue != queue || registration->number != event->wd) continue;
        registration->waiting |= notes(registration, event->mask);
      }
      next += sizeof(struct inotify_event) + event->len;
    }
  }
}

int kevent(
    int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
    const struct timespec *timeout) {
  (void)timeout;
  for (int index = 0; index < change_count; index++) {
    int result = changes[index].flags & EV_ADD ? add(queue, &changes[index]) : remove_one(queue, &changes[index]);
    if (result != 0) return -1;
  }
  if (event_count == 0) return 0;
  collect(queue);
  int count = 0;
  for (int index = 0; index < CAPACITY && count < event_count; index++) {
    struct registration *registration = &registrations[index];
    if (registration->waiting == 0 || registration->queue != queue) continue;
    EV_SET(&events[count++], (uintptr_t)registration->descriptor, EVFILT_VNODE, 0, registration->waiting, 0, NULL);
    registration->waiting = 0;
  }
  return count;
}
