// Debian keeps libpq's headers in a folder that compilers do not search.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

/// Connects to an address, which overrides what is set before it: how soon a connection is given up, and that of several
/// hosts the one is meant that takes writes: a standby may lag behind it.
static inline PGconn *postgresql_connect(const char *address) {
  const char *names[] = {"connect_timeout",  "application_name", "keepalives_idle",      "keepalives_interval",
                         "keepalives_count", "tcp_user_timeout", "target_session_attrs", "dbname",
                         "client_encoding",  NULL};
  const char *values[] = {"5", "swift-json-server", "10", "5", "3", "15000", "read-write", address, "UTF8", NULL};
  return PQconnectdbParams(names, values, 1);
}

/// Waits until a socket can be read, or written when that is asked for. Returns 1, 0 when the time is over, or -1.
static inline int postgresql_wait(int socket, int for_writing, int milliseconds) {
  struct pollfd descriptor = {socket, (short)(POLLIN | (for_writing ? POLLOUT : 0)), 0};
  int result = poll(&descriptor, 1, milliseconds);
  return result < 0 && errno == EINTR ? 1 : result;
}

/// Makes a pipe that a thread waits for beside a socket: what is read, and what is written. Returns 0, or -1.
static inline int postgresql_make_signal(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

static inline void postgresql_close_signal(int input, int output) {
  close(input);
  close(output);
}

/// Wakes who waits. A full pipe wakes, too.
static inline void postgresql_send_signal(int end) {
  char byte = 0;
  while (write(end, &byte, 1) < 0 && errno == EINTR) {}
}

/// Waits until a socket can be read (-1 for none), a signal came, or the time is over, and takes the signals out. Returns
/// whether the socket can be read.
static inline int postgresql_wait_for_signal(int socket, int signal, int milliseconds) {
  struct pollfd descriptors[2] = {{socket, POLLIN, 0}, {signal, POLLIN, 0}};
  if (poll(descriptors, 2, milliseconds) <= 0) return 0;
  char bytes[64];
  if (descriptors[1].revents) while (read(signal, bytes, sizeof bytes) == sizeof bytes) {}
  return descriptors[0].revents != 0;
}
