#ifndef CSTORAGE_H
#define CSTORAGE_H

#include <stdint.h>

// The system calls that differ between Linux and macOS or that Swift's C overlays lack.
// Each returns 0 or a result >= 0; on failure -1 with errno set.

/// What `fstat` tells, with the same field names on every system.
struct storage_status {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  uint32_t mode;
  uint32_t owner;
  uint32_t group;
  uint64_t links;
  int64_t modified_seconds;
  int64_t modified_nanoseconds;
  int64_t changed_seconds;
  int64_t changed_nanoseconds;
};

int storage_status_of(int file, struct storage_status *status);

/// Does not follow a symbolic link.
int storage_status_at(int directory, const char *name, struct storage_status *status);

/// Swaps two names in one step. Fails with EINVAL, ENOSYS or ENOTSUP where the file system cannot.
int storage_exchange(int directory, const char *first, const char *second);

/// Renames unless the new name exists (EEXIST).
int storage_rename_exclusively(int directory, const char *old_name, const char *new_name);

/// Forces a file to the medium: F_FULLFSYNC where it exists, else fsync.
int storage_synchronize(int file);

/// Copies extended attributes and, unless with_access_list is 0, the access control list. What the target's file system
/// or our rights do not allow is left out without failure.
int storage_copy_attributes(int source, int target, int with_access_list);

/// Takes the exclusive lock of an open file without waiting; EWOULDBLOCK when another has it.
int storage_lock(int file);

/// 1 when something is mounted on the name itself, so that it cannot be renamed; 0 when not or unknown.
int storage_is_mount_point(int directory, const char *name);

/// Makes a broken pipe and an exceeded file size limit errors instead of signals that end the process.
void storage_ignore_signals(void);

/// Runs a function on a new thread, which ends with it. What the function returns is dropped.
int storage_thread_start(void *(*body)(void *), void *context);

/// Opens a watch on directories; fails with ENOTSUP where only polling is possible.
int storage_watch_open(void);

/// Adds a directory and returns its number; the same number for the same directory.
int storage_watch_add(int watch, const char *directory);

int storage_watch_remove(int watch, int number);

/// Reads all waiting events. Returns 1 when one concerns one of the names or a watched directory itself, else 0.
int storage_watch_drain(int watch, const char *const *names, int count);

#endif
