// The yardstick of load.py and whole.py: the least that a server on one thread can do for a request.
//
// One epoll loop, one read and one write for each request. Every request is answered with the same record of 1 KB, or with as
// many bytes as the second argument says; then the connection ends. The head is as long as swift-json-server's; nothing is parsed
// but where a request ends. Usage: epoll PORT [BYTES]
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECORD_SIZE = 1024, LARGEST_HEAD = 1024, CONNECTION_LIMIT = 1024, BUFFER_SIZE = 16384 };

struct connection {
  char buffer[BUFFER_SIZE + 1];
  size_t count;
};

static struct connection *connections[CONNECTION_LIMIT];
static char *answer;
static size_t answer_size;

static void make_answer(size_t body_size) {
  answer = malloc(LARGEST_HEAD + body_size);
  if (!answer) exit(1);
  int head = snprintf(answer, LARGEST_HEAD,
                      "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
                      "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
                      "ETag: W/\"400-1234567890abc\"\r\nVary: Accept-Encoding, Origin\r\n"
                      "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: %zu\r\n\r\n",
                      body_size);
  memset(answer + head, 'x', body_size);
  answer_size = (size_t)head + body_size;
}

// Returns the bytes of the first request, or 0 while it is not all there.
static size_t request_size(struct connection *connection) {
  connection->buffer[connection->count] = 0;
  char *end = strstr(connection->buffer, "\r\n\r\n");
  if (!end) return 0;
  size_t size = (size_t)(end + 4 - connection->buffer);
  char *length = strcasestr(connection->buffer, "\r\nContent-Length:");
  if (length && length < end) size += strtoul(length + 17, NULL, 10);
  return size <= connection->count ? size : 0;
}

static void drop(int socket) {
  close(socket);
  free(connections[socket]);
  connections[socket] = NULL;
}

static void serve(int socket) {
  struct connection *connection = connections[socket];
  ssize_t count = read(socket, connection->buffer + connection->count, BUFFER_SIZE - connection->count);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return drop(socket);
  connection->count += (size_t)count;
  for (size_t size; (size = request_size(connection)) > 0;) {
    if (send(socket, answer, answer_size, MSG_NOSIGNAL) != (ssize_t)answer_size) return drop(socket);
    if (answer_size > BUFFER_SIZE) return drop(socket);
    connection->count -= size;
    memmove(connection->buffer, connection->buffer + size, connection->count);
  }
}

int main(int argc, char **argv) {
  size_t body_size = argc > 2 ? strtoul(argv[2], NULL, 10) : RECORD_SIZE;
  make_answer(body_size);
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 3000))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) {
    perror("epoll");
    return 1;
  }
  int loop = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[64];
  epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(loop, ready, 64, -1);
    for (int index = 0; index < count; index++) {
      if (ready[index].data.fd != listener) {
        serve(ready[index].data.fd);
        continue;
      }
      // What does not fit into the socket's buffer is sent by one call, too, which waits for the client.
      int client = accept4(listener, NULL, NULL, answer_size > BUFFER_SIZE ? 0 : SOCK_NONBLOCK);
      if (client < 0) continue;
      if (client >= CONNECTION_LIMIT) {
        close(client);
        continue;
      }
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections[client] = calloc(1, sizeof(struct connection));
      event = (struct epoll_event){.events = EPOLLIN, .data.fd = client};
      epoll_ctl(loop, EPOLL_CTL_ADD, client, &event);
    }
  }
}
