#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
#define MODIFIED st_mtimespec
#define CHANGED st_ctimespec
#else
#include <sys/syscall.h>
#include <sys/vfs.h>
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

int storage_status_behind(const char *path, struct storage_status *status) {
  struct stat from;
  if (stat(path, &from) != 0) return -1;
  fill(status, &from);
  return 0;
}

int storage_close(int file) { return close(file); }

static size_t capped(size_t size) { return size < STORAGE_LARGEST_TRANSFER ? size : STORAGE_LARGEST_TRANSFER; }

int64_t storage_read_at(int file, void *buffer, size_t size, int64_t offset) {
  return pread(file, buffer, capped(size), (off_t)offset);
}

int64_t storage_write_at(int file, const void *buffer, size_t size, int64_t offset) {
  return pwrite(file, buffer, capped(size), (off_t)offset);
}

int storage_exchange(int directory, const char *first, const char *second) {
#if defined(__APPLE__)
  // rename(2), RENAME_SWAP: "On file systems that support it […], it will cause the source and target to be atomically
  // swapped." ENOTSUP elsewhere.
  return renameatx_np(directory, first, directory, second, RENAME_SWAP);
#else
  return (int)syscall(SYS_renameat2, directory, first, directory, second, LINUX_RENAME_EXCHANGE);
#endif
}

int storage_rename_exclusively(int directory, const char *old_name, const char *new_name) {
#if defined(__APPLE__)
  // rename(2), RENAME_EXCL: "On file systems that support it […], it will cause EEXIST to be returned if the destination
  // already exists."
  return renameatx_np(directory, old_name, directory, new_name, RENAME_EXCL);
#else
  return (int)syscall(SYS_renameat2, directory, old_name, directory, new_name, LINUX_RENAME_NOREPLACE);
#endif
}

#if defined(__APPLE__)
// Network file systems have neither of Apple's two calls and offer only fsync.
static int is_unsupported(int error) { return error == ENOTSUP || error == EINVAL || error == ENOTTY; }
#endif

int storage_order(int file) {
#if defined(__APPLE__)
  // fcntl(2), F_BARRIERFSYNC: "Does the same thing as fsync(2) then issues a barrier command to the drive. The barrier
  // applies to I/O that have been flushed with fsync(2) on the same device before. These operations are guaranteed to be
  // persisted before any other I/O that would follow the barrier, although no assumption should be made on what has been
  // persisted or not when this call returns. […] This is currently implemented on HFS and APFS."
  if (fcntl(file, F_BARRIERFSYNC) == 0) return 0;
  if (!is_unsupported(errno)) return -1;
  // The full one "acts as a barrier", too.
  return storage_synchronize(file);
#else
  return fsync(file);
#endif
}

int storage_synchronize(int file) {
#if defined(__APPLE__)
  // fcntl(2), F_FULLFSYNC: "Does the same thing as fsync(2) then asks the drive to flush all buffered data to the
  // permanent storage device. As this drains the entire queue of the device and acts as a barrier, data that had been
  // fsync'd on the same device before is guaranteed to be persisted when this call returns."
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
  if (!is_unsupported(errno)) return -1;
#endif
  return fsync(file);
}

int storage_lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

int storage_lock_content(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0) return -1;
#if defined(__APPLE__)
  int is_remote = (system.f_flags & MNT_LOCAL) == 0;
#else
  // The numbers of SMB1, CIFS and SMB2 in statfs(2), in 32 bits. NFS locks nobody out, and needs a descriptor for writing.
  uint32_t type = (uint32_t)system.f_type;
  int is_remote = type == 0x517B || type == 0xFF534D42 || type == 0xFE534D42;
#endif
  if (!is_remote) return storage_lock(file);
  errno = ENOTSUP;
  return -1;
}

int storage_unlock(int file) { return flock(file, LOCK_UN); }

int storage_is_mount_point(int directory, const char *name) {
#if defined(__linux__) && defined(STATX_ATTR_MOUNT_ROOT)
  struct statx status;
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return -1;
  // Kernels before 5.8 do not know.
  if (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  (void)directory;
  (void)name;
#endif
  errno = ENOTSUP;
  return -1;
}
