// A client that times its requests one after the other and costs little itself, for mixed.py.
//
//     client PORT SECONDS PAUSE METHOD TARGETS [BODY]
//
// TARGETS is a file with a target in each line, which are asked for in turn; BODY a file that is sent with each request. PAUSE
// are the microseconds between two requests. With a pause above zero one connection is kept and its responses must state
// their length; without one each request has a connection of its own, which it reads to its end. After SECONDS it prints a
// line for each request: microseconds to the first byte, microseconds in all, bytes, status.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static int fail(const char *what) {
  fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
  exit(1);
}

static char *contents(const char *path, long *length) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path);
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  if (!text || fread(text, 1, *length, file) != (size_t)*length) fail(path);
  text[*length] = 0;
  fclose(file);
  return text;
}

static int connected(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int client = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof address)) fail("connect");
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return client;
}

static void send_all(int client, const char *bytes, long count) {
  while (count > 0) {
    ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
    // A server may refuse before it has read all.
    if (sent < 0) return;
    bytes += sent;
    count -= sent;
  }
}

int main(int count, char **arguments) {
  static char buffer[1 << 20];
  if (count < 6) return fprintf(stderr, "client PORT SECONDS PAUSE METHOD TARGETS [BODY]\n"), 2;
  int port = atoi(arguments[1]), client = -1;
  long pause = atol(arguments[3]), body_length = 0, targets_length;
  char *targets = contents(arguments[5], &targets_length), *target = targets;
  char *body = count > 6 ? contents(arguments[6], &body_length) : NULL;
  long end = now() + (long)(atof(arguments[2]) * 1e6);
  while (now() < end) {
    char *line_end = strchr(target, '\n');
    char head[65536];
    int head_length = snprintf(
        head, sizeof head, "%s %.*s HTTP/1.1\r\nHost: localhost\r\n%s", arguments[4],
        (int)(line_end ? line_end - target : (long)strlen(target)), target, pause ? "" : "Connection: close\r\n");
    if (body) {
      head_length += snprintf(
          head + head_length, sizeof head - head_length, "Content-Type: application/json\r\nContent-Length: %ld\r\n",
          body_length);
    }
    head_length += snprintf(head + head_length, sizeof head - head_length, "\r\n");
    target = line_end && line_end[1] ? line_end + 1 : targets;
    long started = now(), first = 0, received = 0, expected = -1;
    int status = 0;
    if (client < 0) client = connected(port);
    send_all(client, head, head_length);
    if (body) send_all(client, body, body_length);
    while (expected < 0 || received < expected) {
      // All but the head is read over itself: it is not looked at.
      ssize_t read = recv(client, status ? buffer : buffer + received, sizeof buffer - 1 - (status ? 0 : received), 0);
      if (read <= 0) break;
      if (!first) first = now();
      received += read;
      if (status) continue;
      buffer[received] = 0;
      char *head_end = strstr(buffer, "\r\n\r\n");
      if (!head_end) continue;
      status = atoi(buffer + 9);
      char *length = strcasestr(buffer, "\r\ncontent-length:");
      if (pause && length && length < head_end) expected = head_end + 4 - buffer + atol(length + 17);
    }
    long ended = now();
    printf("%ld %ld %ld %d\n", (first ? first : ended) - started, ended - started, received, status);
    if (pause && status) {
      usleep(pause);
    } else {
      close(client);
      client = -1;
    }
  }
  return 0;
}
