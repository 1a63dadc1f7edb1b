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

/// Connects to an address, which overrides what is set before it: after how many seconds a host is given up, how soon a
/// connection is, and that of several hosts the one is meant that takes writes: a standby may lag behind it.
static inline PGconn *postgresql_connect(const char *address, const char *seconds) {
  const char *names[] = {"connect_timeout",  "application_name", "keepalives_idle",      "keepalives_interval",
                         "keepalives_count", "tcp_user_timeout", "target_session_attrs", "dbname",
                         "client_encoding",  NULL};
  const char *values[] = {seconds, "swift-json-server", "10", "5", "3", "15000", "read-write", address, "UTF8", NULL};
  return PQconnectdbParams(names, values, 1);
}

/// Waits until a socket can be read, or written when that is asked for. Returns 1, 0 when the time is over, or -1.
static inline int postgresql_wait(int socket, int for_writing, int milliseconds) {
  struct pollfd descriptor = {socket, (short)(POLLIN | (for_writing ? POLLOUT : 0)), 0};
  int result = poll(&descriptor, 1, milliseconds);
  return result < 0 && errno == EINTR ? 1 : result;
}

/// Copies the socket of a connection. Returns -1 when the connection is lost.
static inline int postgresql_copy_socket(const PGconn *connection) {
  return fcntl(PQsocket(connection), F_DUPFD_CLOEXEC, 0);
}

static inline void postgresql_close(int socket) { close(socket); }
