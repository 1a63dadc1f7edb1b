// What a watch tells, on inotify and on kqueue alike. Takes an empty directory.

#define _GNU_SOURCE
#include <CStorage.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"

static struct storage_watch *watch;

static void set(const char *directory) {
  const char *directories[] = {directory};
  const char *names[] = {"db.json", "alias.json"};
  EXPECT(storage_watch_set(watch, directories, 1, names, 2) == 0);
}

/// Whether what waits concerns the watched names. Waits for it up to five seconds, since a notification may be late.
static int is_told(void) {
  for (int attempt = 0; attempt < 500; attempt++) {
    struct pollfd request = {.fd = storage_watch_descriptor(watch), .events = POLLIN};
    EXPECT(poll(&request, 1, 10) >= 0);
    int result = storage_watch_drain(watch);
    EXPECT(result >= 0);
    if (result == 1) return 1;
  }
  return 0;
}

/// Whether nothing of what waits concerns the watched names.
static int is_quiet(void) {
  usleep(20000);
  return storage_watch_drain(watch) == 0;
}

static void shell(const char *command) { EXPECT(system(command) == 0); }

#define TELLS(command)  \
  do {                  \
    shell(command);     \
    EXPECT(is_told());  \
    while (!is_quiet()) \
      ;                 \
  } while (0)

#define TELLS_NOTHING(command) \
  do {                         \
    shell(command);            \
    EXPECT(is_quiet());        \
  } while (0)

static void files(void) {
  shell("printf '[0]' > db.json");
  set(".");
  EXPECT(is_quiet());
  TELLS("printf '[1]' > db.json");
  TELLS("printf ' ' >> db.json");
  TELLS("touch db.json");
  TELLS("chmod 600 db.json");
  TELLS("printf '[2]' > x; mv x db.json");
  // The file that has the name now is another.
  TELLS("printf '[3]' > db.json");
  TELLS("rm db.json");
  TELLS("printf '[4]' > db.json");
  TELLS("printf '[5]' > db.json");
  TELLS("mv db.json db.json~; printf '[6]' > db.json");
  TELLS("printf '[7]' > db.json");
  TELLS("ln -s db.json alias.json");
  TELLS("ln -s other y; mv y alias.json");
}

static void exchanges(void) {
  for (int round = 0; round < 3; round++) {
    shell("printf '[8]' > new");
    EXPECT(storage_exchange(AT_FDCWD, "new", "db.json") == 0);
    EXPECT(is_told());
    while (!is_quiet())
      ;
    TELLS("printf '[9]' > db.json");
    TELLS_NOTHING("printf 'x' >> new; rm new");
  }
}

static void others(void) {
  TELLS_NOTHING("touch .db.json.swp other; printf 'x' > other; mv other other2; rm other2 .db.json.swp; mkdir d; rmdir d");
}

static void repeated_sets(void) {
  shell("printf '[10]' > db.json");
  set(".");
  EXPECT(is_told());
  while (!is_quiet())
    ;
  for (int round = 0; round < 100; round++) set(".");
  EXPECT(is_quiet());
  TELLS("printf '[11]' > db.json");
}

static void directories(void) {
  set("data");
  EXPECT(is_quiet());
  shell("mkdir data; printf '[0]' > data/db.json");
  set("data");
  while (!is_quiet())
    ;
  TELLS("printf '[1]' > data/db.json");
  TELLS("mv data away");
  shell("mkdir data; printf '[2]' > data/db.json");
  set("data");
  while (!is_quiet())
    ;
  TELLS_NOTHING("printf '[3]' > away/db.json");
  TELLS("printf '[4]' > data/db.json");
  TELLS("rm -r data");
}

int main(int count, char **arguments) {
  EXPECT(count == 2 && chdir(arguments[1]) == 0);
  watch = storage_watch_open();
  EXPECT(watch != NULL);
  files();
  exchanges();
  others();
  repeated_sets();
  directories();
  storage_watch_close(watch);
  return 0;
}
