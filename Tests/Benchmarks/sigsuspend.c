// Keeps valgrind alive, for instructions.py: a library to preload.
//
// Before it waits, valgrind changes the mask that a program gives to sigsuspend; libdispatch's is in memory that cannot be
// written, and valgrind crashes. This one hands on a copy.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
