#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

// MARK: - Limits

int64_t system_open_file_limit(void) {
  struct rlimit limit;
  // 256 is what every system grants.
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int system_raise_open_file_limit(int64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  rlim_t target = (rlim_t)wanted;
#if defined(__APPLE__)
  // setrlimit(2): "setrlimit() now returns with errno set to EINVAL in places that historically succeeded. It no longer
  // accepts "rlim_cur = RLIM_INFINITY" for RLIM_NOFILE. Use "rlim_cur = min(OPEN_MAX, rlim_max)"."
  if (target > OPEN_MAX) target = OPEN_MAX;
#endif
  if (limit.rlim_max != RLIM_INFINITY && target > limit.rlim_max) target = limit.rlim_max;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= target) return 0;
  limit.rlim_cur = target;
  return setrlimit(RLIMIT_NOFILE, &limit);
}

// MARK: - Pipes

int storage_pipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

// MARK: - Signals

void storage_ignore_signals(void) {
  const int numbers[] = {SIGPIPE, SIGXFSZ};
  for (int index = 0; index < 2; index++) {
    struct sigaction before;
    // A host program's own handler stays.
    if (sigaction(numbers[index], NULL, &before) == 0 && before.sa_handler == SIG_DFL) signal(numbers[index], SIG_IGN);
  }
}

static int signal_pipe[2] = {-1, -1};

static void write_number(int number) {
  int error = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds thousands of signals that nobody has read.
  ssize_t written = write(signal_pipe[1], &byte, 1);
  (void)written;
  errno = error;
}

int system_catch_signals(const int *numbers, int count) {
  if (signal_pipe[0] < 0 && storage_pipe(signal_pipe) != 0) return -1;
  for (int index = 0; index < count; index++) {
    struct sigaction before;
    if (numbers[index] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {.sa_handler = write_number, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[index], &action, NULL) != 0) return -1;
  }
  return signal_pipe[0];
}
