#ifndef SYS_EVENT_H
#define SYS_EVENT_H

// As much of Apple's <sys/event.h> as watch_kqueue.c uses, with its names and numbers, so that the code runs on Linux.
// kqueue.c beside this directory does with inotify what kqueue(2) says of EVFILT_VNODE.

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void *udata;
};

#define EV_SET(event, a, b, c, d, e, f) \
  (*(event) = (struct kevent){.ident = (a), .filter = (b), .flags = (uint16_t)(c), .fflags = (d), .data = (e), .udata = (f)})

#define EVFILT_VNODE (-4)

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR 0x0020

#define NOTE_DELETE 0x00000001
#define NOTE_WRITE 0x00000002
#define NOTE_EXTEND 0x00000004
#define NOTE_ATTRIB 0x00000008
#define NOTE_RENAME 0x00000020
#define NOTE_REVOKE 0x00000040

int kqueue(void);

int kevent(
    int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
    const struct timespec *timeout);

#endif
