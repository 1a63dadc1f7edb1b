// Limits, transfers, signals and programs. Takes an empty directory.

#define _GNU_SOURCE
#include <CStorage.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static void limits(void) {
  struct rlimit limit;
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 64;
  limit.rlim_max = 200;
  EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  EXPECT(system_open_file_limit() == 64);
  EXPECT(system_raise_open_file_limit(100) == 0);
  EXPECT(system_open_file_limit() == 100);
  EXPECT(system_raise_open_file_limit(50) == 0);
  EXPECT(system_open_file_limit() == 100);
  EXPECT(system_raise_open_file_limit(1 << 20) == 0);
  EXPECT(system_open_file_limit() == 200);
}

static void transfers(void) {
  size_t size = (size_t)3 << 30;
  void *nothing = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(nothing != MAP_FAILED);
  int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT(file >= 0);
  EXPECT(storage_write_at(file, nothing, size, 0) == 1 << 30);
  EXPECT(storage_write_at(file, nothing, 1000, 0) == 1000);
  EXPECT(storage_read_at(file, nothing, size, 0) == 0);
  EXPECT(storage_close(file) == 0);
  EXPECT(storage_close(file) == -1);
  munmap(nothing, size);
}

static void synchronization(void) {
  int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT(file >= 0 && directory >= 0);
  EXPECT(storage_write_at(file, "text", 4, 0) == 4);
  EXPECT(storage_order(file) == 0);
  EXPECT(storage_synchronize(directory) == 0);
  EXPECT(storage_order(-1) == -1 && errno == EBADF);
  EXPECT(storage_synchronize(-1) == -1 && errno == EBADF);
  struct storage_status status;
  EXPECT(storage_status_behind("file", &status) == 0 && status.size == 4);
  EXPECT(storage_status_behind("missing", &status) == -1 && errno == ENOENT);
  storage_close(file);
  storage_close(directory);
}

/// A process that catches a signal, reads it late and ends with 42.
static void serve(int is_ready, int microseconds) {
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  int reading = system_catch_signals(numbers, 3);
  EXPECT(reading >= 0 && system_catch_signals(numbers, 3) == reading);
  EXPECT(write(is_ready, "", 1) == 1);
  usleep((useconds_t)microseconds);
  struct pollfd request = {.fd = reading, .events = POLLIN};
  while (poll(&request, 1, -1) < 0) EXPECT(errno == EINTR);
  unsigned char number;
  EXPECT(read(reading, &number, 1) == 1);
  _exit(number == SIGTERM ? 42 : 1);
}

static void signals(void) {
  unsigned int caught = 0;
  for (int round = 0; round < 1000; round++) {
    int ready[2];
    EXPECT(pipe(ready) == 0);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) serve(ready[1], round % 7 * 50);
    int is_early = round % 2;
    char byte;
    if (is_early) {
      usleep((useconds_t)(round % 300));
    } else {
      EXPECT(read(ready[0], &byte, 1) == 1);
    }
    EXPECT(kill(child, SIGTERM) == 0);
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    int is_caught = WIFEXITED(status) && WEXITSTATUS(status) == 42;
    EXPECT(is_caught || (is_early && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
    caught += is_caught != 0;
    close(ready[0]);
    close(ready[1]);
  }
  EXPECT(caught >= 500);
}

static void ignored_hangup(void) {
  pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    const int numbers[] = {SIGHUP, SIGTERM};
    signal(SIGHUP, SIG_IGN);
    int reading = system_catch_signals(numbers, 2);
    raise(SIGHUP);
    raise(SIGTERM);
    unsigned char bytes[2];
    _exit(read(reading, bytes, 2) == 1 && bytes[0] == SIGTERM ? 42 : 1);
  }
  int status;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

/// Runs a command of the shell; returns its exit code, and what it writes to both outputs.
static int output(const char *command, char *text, size_t size) {
  int pipe_ends[2];
  EXPECT(pipe(pipe_ends) == 0);
  const char *arguments[] = {"sh", "-c", command, NULL};
  const char *environment[] = {"WORD=hello", "PATH=/usr/bin:/bin", NULL};
  int null = open("/dev/null", O_RDONLY);
  int child = system_spawn(arguments, environment, (int[]){null, pipe_ends[1], pipe_ends[1]}, false);
  EXPECT(child > 0);
  close(null);
  close(pipe_ends[1]);
  size_t count = 0;
  ssize_t part;
  while ((part = read(pipe_ends[0], text + count, size - 1 - count)) > 0) count += (size_t)part;
  text[count] = 0;
  close(pipe_ends[0]);
  int status;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void programs(void) {
  char text[4096];
  EXPECT(output("echo $WORD; echo $WORD >&2; exit 7", text, sizeof text) == 7);
  EXPECT(strcmp(text, "hello\nhello\n") == 0);

  for (int index = 0; index < 20; index++) EXPECT(dup(STDIN_FILENO) >= 0);
  // Without a redirection, for which some shells open a descriptor of their own.
  const char *list = "n=3; while [ $n -lt 60 ]; do if [ -e /dev/fd/$n ]; then echo $n; fi; n=$((n + 1)); done";
  EXPECT(output(list, text, sizeof text) == 0);
  EXPECT(strcmp(text, "") == 0);
}

static void on_signal(int number) { (void)number; }

static void host_handlers(void) {
  EXPECT(signal(SIGPIPE, on_signal) == SIG_DFL);
  storage_ignore_signals();
  EXPECT(signal(SIGPIPE, SIG_DFL) == on_signal);
  EXPECT(signal(SIGXFSZ, SIG_DFL) == SIG_IGN);
}

static void default_signals(void) {
  storage_ignore_signals();
  sigset_t blocked;
  sigfillset(&blocked);
  EXPECT(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0);
  const int wanted[] = {SIGPIPE, SIGXFSZ, SIGTERM, SIGINT};
  for (int index = 0; index < 4; index++) {
    char command[64];
    snprintf(command, sizeof command, "kill -%d $$; sleep 30", wanted[index]);
    const char *arguments[] = {"/bin/sh", "-c", command, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    int child = system_spawn(arguments, environment, (int[]){0, 1, 2}, false);
    EXPECT(child > 0);
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == wanted[index]);
  }
  EXPECT(sigprocmask(SIG_UNBLOCK, &blocked, NULL) == 0);
}

static void missing_programs(void) {
  const char *environment[] = {NULL};
  EXPECT(system_spawn((const char *[]){"no-such-program", NULL}, environment, (int[]){0, 1, 2}, false) == -1);
  EXPECT(errno == ENOENT);
  EXPECT(system_spawn((const char *[]){"./file", NULL}, environment, (int[]){0, 1, 2}, false) == -1);
  EXPECT(errno == EACCES);
  EXPECT(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

int main(int count, char **arguments) {
  // A program that runs the test in the background may ignore these.
  signal(SIGINT, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  EXPECT(count == 2 && chdir(arguments[1]) == 0);
  transfers();
  synchronization();
  signals();
  ignored_hangup();
  programs();
  host_handlers();
  default_signals();
  missing_programs();
  limits();
  return 0;
}
