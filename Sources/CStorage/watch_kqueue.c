#define _GNU_SOURCE
#include "CStorage.h"

// On Linux, Tests/CStorageTests compiles this against a <sys/event.h> of its own.
#if defined(__APPLE__) || defined(STORAGE_WATCH_KQUEUE)

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__APPLE__)
// <sys/fcntl.h>: O_EVTONLY, "descriptor requested for event notifications only", which does not keep a volume from being
// ejected; O_SYMLINK, "allow open of symlinks".
#define OPEN_FLAGS (O_EVTONLY | O_CLOEXEC)
#define OPEN_LINK O_SYMLINK
#else
#define OPEN_FLAGS (O_PATH | O_CLOEXEC)
#define OPEN_LINK O_NOFOLLOW
#endif

/// A directory or file whose changes are reported: kqueue knows open descriptors, not names.
struct node {
  int descriptor;
  dev_t device;
  ino_t inode;
};

struct directory {
  char *path;
  struct node node;
  /// One for each name; of a missing file the descriptor is -1.
  struct node *files;
};

struct storage_watch {
  int queue;
  struct directory *directories;
  int directory_count;
  char **names;
  int name_count;
};

// MARK: - Nodes

static const struct node no_node = {.descriptor = -1};

static int is_same(const struct node *first, const struct node *second) {
  if (first->descriptor < 0 || second->descriptor < 0) return first->descriptor < 0 && second->descriptor < 0;
  return first->device == second->device && first->inode == second->inode;
}

static struct node open_node(const char *path, int flags) {
  struct node node = no_node;
  // Without O_NONBLOCK, opening a FIFO would wait for its other end.
  int descriptor = open(path, OPEN_FLAGS | O_NONBLOCK | flags);
  if (descriptor < 0) return node;
  struct stat status;
  if (fstat(descriptor, &status) != 0) {
    close(descriptor);
    return node;
  }
  node.descriptor = descriptor;
  node.device = status.st_dev;
  node.inode = status.st_ino;
  return node;
}

static void change(int queue, const struct node *node, int flags, unsigned int notes) {
  struct kevent event;
  EV_SET(&event, (uintptr_t)node->descriptor, EVFILT_VNODE, flags, notes, 0, NULL);
  // kqueue(2): "All changes contained in the changelist are applied before any pending events are read from the queue."
  // With no room for events none is read. BUGS: "Not all filesystem types support kqueue-style notifications": there
  // this fails, and the caller's regular look is all that there is.
  (void)kevent(queue, &event, 1, NULL, 0, NULL);
}

static void close_node(int queue, struct node *node) {
  if (node->descriptor < 0) return;
  change(queue, node, EV_DELETE, 0);
  // "Calling close() on a file descriptor will remove any kevents that reference the descriptor."
  close(node->descriptor);
  *node = no_node;
}

// MARK: - Files

/// Watches the file that has the name now. Returns 1 when it is another than before, or came or went.
static int rearm(struct storage_watch *watch, struct directory *directory, int index) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", directory->path, watch->names[index]);
  // Of a symbolic link the link itself is meant: another one may take its name.
  struct node found = length < (int)sizeof path ? open_node(path, OPEN_LINK) : no_node;
  struct node *file = &directory->files[index];
  if (is_same(file, &found)) {
    if (found.descriptor >= 0) close(found.descriptor);
    return 0;
  }
  close_node(watch->queue, file);
  *file = found;
  if (found.descriptor < 0) return 1;
  // "NOTE_DELETE: The unlink() system call was called on the file referenced by the descriptor.
  //  NOTE_WRITE: A write occurred on the file referenced by the descriptor.
  //  NOTE_EXTEND: The file referenced by the descriptor was extended.
  //  NOTE_ATTRIB: The file referenced by the descriptor had its attributes changed.
  //  NOTE_RENAME: The file referenced by the descriptor was renamed.
  //  NOTE_REVOKE: Access to the file was revoked via revoke(2) or the underlying fileystem was unmounted."
  // EV_CLEAR: "After the event is retrieved by the user, its state is reset. This is useful for filters which report
  // state transitions instead of the current state."
  change(
      watch->queue, file, EV_ADD | EV_CLEAR,
      NOTE_DELETE | NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_RENAME | NOTE_REVOKE);
  return 1;
}

static int rearm_all(struct storage_watch *watch, struct directory *directory) {
  int result = 0;
  for (int index = 0; index < watch->name_count; index++) {
    if (rearm(watch, directory, index)) result = 1;
  }
  return result;
}

// MARK: - Directories

static void forget(struct storage_watch *watch) {
  for (int index = 0; index < watch->directory_count; index++) {
    struct directory *directory = &watch->directories[index];
    for (int file = 0; directory->files != NULL && file < watch->name_count; file++) {
      close_node(watch->queue, &directory->files[file]);
    }
    close_node(watch->queue, &directory->node);
    free(directory->files);
    free(directory->path);
  }
  free(watch->directories);
  watch->directories = NULL;
  watch->directory_count = 0;
  for (int index = 0; index < watch->name_count; index++) free(watch->names[index]);
  free(watch->names);
  watch->names = NULL;
  watch->name_count = 0;
}

/// Whether all is watched as it should be, so that nothing that waits is dropped.
static int is_set(
    const struct storage_watch *watch, const char *const *directories, int directory_count, const char *const *names,
    int name_count) {
  if (watch->directory_count != directory_count || watch->name_count != name_count) return 0;
  for (int index = 0; index < name_count; index++) {
    if (strcmp(watch->names[index], names[index]) != 0) return 0;
  }
  for (int index = 0; index < directory_count; index++) {
    const struct directory *directory = &watch->directories[index];
    if (strcmp(directory->path, directories[index]) != 0) return 0;
    struct node found = open_node(directories[index], O_DIRECTORY);
    int has_changed = !is_same(&found, &directory->node);
    if (found.descriptor >= 0) close(found.descriptor);
    if (has_changed) return 0;
  }
  return 1;
}

static int remember_names(struct storage_watch *watch, const char *const *names, int count) {
  watch->names = calloc((size_t)count + 1, sizeof *watch->names);
  if (watch->names == NULL) return -1;
  for (int index = 0; index < count; index++) {
    watch->names[index] = strdup(names[index]);
    if (watch->names[index] == NULL) return -1;
    watch->name_count++;
  }
  return 0;
}

static int add_directory(struct storage_watch *watch, const char *path) {
  struct directory *directory = &watch->directories[watch->directory_count++];
  directory->node = no_node;
  directory->path = strdup(path);
  directory->files = calloc((size_t)watch->name_count + 1, sizeof *directory->files);
  if (directory->path == NULL || directory->files == NULL) return -1;
  for (int index = 0; index < watch->name_count; index++) directory->files[index] = no_node;
  directory->node = open_node(path, O_DIRECTORY);
  if (directory->node.descriptor < 0) return 0;
  // A write of a directory is the coming, going or renaming of an entry.
  change(
      watch->queue, &directory->node, EV_ADD | EV_CLEAR, NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE);
  // After the directory: a file that comes in between is seen here or reported there.
  (void)rearm_all(watch, directory);
  return 0;
}

int storage_watch_set(
    struct storage_watch *watch, const char *const *directories, int directory_count, const char *const *names,
    int name_count) {
  if (is_set(watch, directories, directory_count, names, name_count)) {
    for (int index = 0; index < directory_count; index++) (void)rearm_all(watch, &watch->directories[index]);
    return 0;
  }
  forget(watch);
  watch->directories = calloc((size_t)directory_count + 1, sizeof *watch->directories);
  if (watch->directories == NULL || remember_names(watch, names, name_count) != 0) return -1;
  for (int index = 0; index < directory_count; index++) {
    if (add_directory(watch, directories[index]) != 0) return -1;
  }
  return 0;
}

// MARK: - Notifications

struct storage_watch *storage_watch_open(void) {
  struct storage_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  // "The kqueue() system call creates a new kernel event queue and returns a descriptor. The queue is not inherited by a
  // child created with fork(2)."
  watch->queue = kqueue();
  if (watch->queue >= 0) return watch;
  int error = errno;
  free(watch);
  errno = error;
  return NULL;
}

void storage_watch_close(struct storage_watch *watch) {
  forget(watch);
  close(watch->queue);
  free(watch);
}

int storage_watch_descriptor(const struct storage_watch *watch) { return watch->queue; }

static int concerns(struct storage_watch *watch, const struct kevent *event) {
  for (int index = 0; index < watch->directory_count; index++) {
    struct directory *directory = &watch->directories[index];
    if (directory->node.descriptor == (int)event->ident) {
      int has_changed = rearm_all(watch, directory);
      return has_changed || (event->fflags & (NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE)) != 0;
    }
    for (int file = 0; file < watch->name_count; file++) {
      if (directory->files[file].descriptor != (int)event->ident) continue;
      // An exchanged file has been renamed, and another has its name.
      (void)rearm(watch, directory, file);
      return 1;
    }
  }
  // Of a file that was replaced and is watched no more.
  return 0;
}

int storage_watch_drain(struct storage_watch *watch) {
  int result = 0;
  for (;;) {
    struct kevent events[16];
    // "To effect a poll, the timeout argument should be non-NULL, pointing to a zero-valued timespec structure."
    struct timespec no_time = {0, 0};
    int count = kevent(watch->queue, NULL, 0, events, 16, &no_time);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) return result;
    for (int index = 0; index < count; index++) {
      if (concerns(watch, &events[index])) result = 1;
    }
  }
}

#endif
