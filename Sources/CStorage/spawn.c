#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && !TARGET_OS_OSX

int system_spawn(
    const char *const *arguments, const char *const *environment, const int descriptors[3], bool leads_group) {
  (void)arguments, (void)environment, (void)descriptors, (void)leads_group;
  errno = ENOTSUP;
  return -1;
}

#elif defined(__APPLE__)

#include <spawn.h>

static int add_actions(posix_spawn_file_actions_t *actions, const int descriptors[3]) {
  int error = 0;
  for (int number = 0; error == 0 && number < 3; number++) {
    // One that has its place already is named all the same: what no action names is closed.
    error = descriptors[number] == number
                ? posix_spawn_file_actions_addinherit_np(actions, number)
                : posix_spawn_file_actions_adddup2(actions, descriptors[number], number);
  }
  return error;
}

static int set_attributes(posix_spawnattr_t *attributes, bool leads_group) {
  sigset_t ignored, none;
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGXFSZ);
  sigemptyset(&none);
  int error = posix_spawnattr_setsigdefault(attributes, &ignored);
  if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
  // posix_spawnattr_setflags(3), POSIX_SPAWN_CLOEXEC_DEFAULT: "Apple Extension: If this bit is set, then only file
  // descriptors explicitly described by the file_actions argument are available in the spawned process; all of the other
  // file descriptors are automatically closed in the spawned process."
  if (error == 0) {
    error = posix_spawnattr_setflags(
        attributes,
        (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
                | (leads_group ? POSIX_SPAWN_SETPGROUP : 0)));
  }
  return error;
}

int system_spawn(
    const char *const *arguments, const char *const *environment, const int descriptors[3], bool leads_group) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0) {
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
      pid_t child = -1;
      error = add_actions(&actions, descriptors);
      if (error == 0) error = set_attributes(&attributes, leads_group);
      if (error == 0) {
        error = posix_spawnp(
            &child, arguments[0], &actions, &attributes, (char *const *)arguments, (char *const *)environment);
      }
      posix_spawnattr_destroy(&attributes);
      posix_spawn_file_actions_destroy(&actions);
      if (error == 0) return child;
    } else {
      posix_spawn_file_actions_destroy(&actions);
    }
  }
  errno = error;
  return -1;
}

#else

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// <linux/close_range.h> is younger than some C libraries that run on kernels with the call.
#define CLOSE_RANGE_MARK (1U << 2)

/// Lets none but the standard descriptors survive `exec`. Between `fork` and `exec`, where no other thread can open one
/// in between; only calls that signal-safety(7) allows.
static void mark_descriptors(void) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_MARK) == 0) return;
#endif
  // Kernels before 5.11.
  int64_t limit = system_open_file_limit();
  for (int descriptor = 3; descriptor < limit && descriptor < (1 << 20); descriptor++) {
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

static int set_descriptors(const int descriptors[3]) {
  int copies[3];
  // Out of the way first: one of them may have the number of another.
  for (int number = 0; number < 3; number++) {
    copies[number] = fcntl(descriptors[number], F_DUPFD, 3);
    if (copies[number] < 0) return -1;
  }
  for (int number = 0; number < 3; number++) {
    if (dup2(copies[number], number) < 0) return -1;
  }
  return 0;
}

static void run(
    const char *const *arguments, const char *const *environment, const int descriptors[3], int failure) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (set_descriptors(descriptors) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0) {
    mark_descriptors();
    execvpe(arguments[0], (char *const *)arguments, (char *const *)environment);
  }
  int error = errno;
  ssize_t written = write(failure, &error, sizeof error);
  (void)written;
  _exit(127);
}

int system_spawn(
    const char *const *arguments, const char *const *environment, const int descriptors[3], bool leads_group) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return -1;
  pid_t child = fork();
  if (child == 0) {
    // The numbers 0 to 2 are about to be taken.
    if (leads_group) setpgid(0, 0);
    int report = fcntl(failure[1], F_DUPFD_CLOEXEC, 3);
    run(arguments, environment, descriptors, report);
  }
  int error = errno;
  close(failure[1]);
  if (child > 0) {
    // The pipe ends unread when the program has taken over.
    error = 0;
    ssize_t size;
    do size = read(failure[0], &error, sizeof error);
    while (size < 0 && errno == EINTR);
    if (size == (ssize_t)sizeof error) (void)waitpid(child, NULL, 0);
  }
  close(failure[0]);
  if (child > 0 && error == 0) return child;
  errno = error;
  return -1;
}

#endif
