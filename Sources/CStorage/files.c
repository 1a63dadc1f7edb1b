#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)
#define MODIFIED st_mtimespec
#define CHANGED st_ctimespec
#else
#include <sys/syscall.h>
#define MODIFIED st_mtim
#define CHANGED st_ctim
#endif

// Linux's <linux/fs.h> has these, but it clashes with <sys/mount.h> in some C libraries.
#define LINUX_RENAME_NOREPLACE 1
#define LINUX_RENAME_EXCHANGE 2

static void fill(struct storage_status *status, const struct stat *from) {
  status->device = (uint64_t)from->st_dev;
  status->inode = (uint64_t)from->st_ino;
  status->size = (int64_t)from->st_size;
  status->mode = (uint32_t)from->st_mode;
  status->owner = (uint32_t)from->st_uid;
  status->group = (uint32_t)from->st_gid;
  status->links = (uint64_t)from->st_nlink;
  status->modified_seconds = from->MODIFIED.tv_sec;
  status->modified_nanoseconds = from->MODIFIED.tv_nsec;
  status->changed_seconds = from->CHANGED.tv_sec;
  status->changed_nanoseconds = from->CHANGED.tv_nsec;
}

int storage_status_of(int file, struct storage_status *status) {
  struct stat from;
  if (fstat(file, &from) != 0) return -1;
  fill(status, &from);
  return 0;
}

int storage_status_at(int directory, const char *name, struct storage_status *status) {
  struct stat from;
  if (fstatat(directory, name, &from, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  fill(status, &from);
  return 0;
}

int storage_exchange(int directory, const char *first, const char *second) {
#if defined(__APPLE__)
  return renameatx_np(directory, first, directory, second, RENAME_SWAP);
#else
  return (int)syscall(SYS_renameat2, directory, first, directory, second, LINUX_RENAME_EXCHANGE);
#endif
}

int storage_rename_exclusively(int directory, const char *old_name, const char *new_name) {
#if defined(__APPLE__)
  return renameatx_np(directory, old_name, directory, new_name, RENAME_EXCL);
#else
  return (int)syscall(SYS_renameat2, directory, old_name, directory, new_name, LINUX_RENAME_NOREPLACE);
#endif
}

int storage_synchronize(int file) {
#if defined(F_FULLFSYNC)
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
  // Network file systems refuse F_FULLFSYNC and offer only fsync.
  if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return -1;
#endif
  return fsync(file);
}

int storage_lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

int storage_is_mount_point(int directory, const char *name) {
#if defined(__linux__) && defined(STATX_ATTR_MOUNT_ROOT)
  struct statx status;
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return 0;
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  (void)directory;
  (void)name;
  return 0;
#endif
}

void storage_ignore_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}
