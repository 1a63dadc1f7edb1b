#ifndef CSTORAGE_H
#define CSTORAGE_H

#include <stddef.h>
#include <stdint.h>

// The system calls that differ between Linux and Apple's systems, or that Swift's C overlays lack, with the same
// signature everywhere. Each returns 0 or a result >= 0; on failure -1 with errno set. `.ci/check-c` compiles them for
// every system. Where a call of Apple's does more or less than its name says, the sentence of the manual stands beside it.

// MARK: - Files

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

/// Follows symbolic links.
int storage_status_behind(const char *path, struct storage_status *status);

/// Closes a descriptor; not repeated after EINTR, since it may belong to another thread by then.
int storage_close(int file);

/// The most bytes of one read or write: Apple's systems refuse more than INT_MAX with EINVAL.
#define STORAGE_LARGEST_TRANSFER ((size_t)1 << 30)

/// `pread` of at most STORAGE_LARGEST_TRANSFER bytes.
int64_t storage_read_at(int file, void *buffer, size_t size, int64_t offset);

/// `pwrite` of at most STORAGE_LARGEST_TRANSFER bytes.
int64_t storage_write_at(int file, const void *buffer, size_t size, int64_t offset);

/// Swaps two names in one step. Fails with EINVAL, ENOSYS or ENOTSUP where the file system cannot.
int storage_exchange(int directory, const char *first, const char *second);

/// Renames unless the new name exists (EEXIST).
int storage_rename_exclusively(int directory, const char *old_name, const char *new_name);

/// Lets nothing that is written from now on reach the medium before what this file holds. It need not be there when this
/// returns: that takes storage_synchronize, of this file or of another on the same device.
///
/// A new file is ordered, renamed, and its directory synchronized: a power cut at any moment leaves the old file or the
/// new one whole, and after the last step the new one.
int storage_order(int file);

/// Forces a file or directory to the medium and, with it, everything that was ordered on the same device before.
int storage_synchronize(int file);

/// Copies extended attributes and, unless with_access_list is 0, the access control list. What the target's file system
/// or our rights do not allow is left out without failure.
int storage_copy_attributes(int source, int target, int with_access_list);

/// Takes the exclusive lock of an open file without waiting; EWOULDBLOCK when another has it.
int storage_lock(int file);

/// 1 when something is mounted on the name itself, so that it cannot be renamed; 0 when not or unknown.
int storage_is_mount_point(int directory, const char *name);

// MARK: - Watching

/// Tells that files may have changed: inotify on Linux, kqueue on Apple's systems. It only says when to look.
struct storage_watch;

/// Fails with ENOTSUP where only polling is possible.
struct storage_watch *storage_watch_open(void);

void storage_watch_close(struct storage_watch *watch);

/// A descriptor that `poll` finds readable while notifications wait. It is the watch's own.
int storage_watch_descriptor(const struct storage_watch *watch);

/// Watches exactly these directories, and in each of them these names. A directory that cannot be watched is left out;
/// what changes from here on is reported.
///
/// To be called again now and then: a watch follows a directory that is renamed, and another may have taken its name.
int storage_watch_set(
    struct storage_watch *watch, const char *const *directories, int directory_count, const char *const *names,
    int name_count);

/// Takes all notifications that wait. Returns 1 when one concerns one of the names or a directory as a whole, else 0.
int storage_watch_drain(struct storage_watch *watch);

// MARK: - The process

/// Makes a broken pipe and an exceeded file size limit errors instead of signals that end the process.
void storage_ignore_signals(void);

/// Runs a function on a new thread, which ends with it. What the function returns is dropped.
int storage_thread_start(void *(*body)(void *), void *context);

/// Has the system prefer the process's other threads to the calling one, as long as that lives.
///
/// Does nothing where a thread has no priority of its own but by what the system thinks it is for, as on a Mac.
void storage_thread_lower_priority(void);

/// The most files that this process may hold open, sockets among them; INT64_MAX without a limit.
int64_t system_open_file_limit(void);

/// Raises the limit of open files as far as the system lets this user, but no further than `wanted`. A limit that is
/// higher already stays. Programs that are started later inherit it.
int system_raise_open_file_limit(int64_t wanted);

/// Catches signals for the rest of the process's life: each writes its number as one byte to a pipe.
///
/// None is lost from the return on, whichever thread it meets and however late the pipe is read; before, a signal has
/// its default action. SIGHUP stays ignored when it is ignored already, as `nohup` has it.
///
/// Returns the end to read, the same one at each call.
int system_catch_signals(const int *numbers, int count);

/// Starts a program, which is looked for in this process's PATH unless it is named with a slash, and returns its number.
///
/// It gets three descriptors as its standard input, output and error, and none of the others that this process has or
/// opens meanwhile. The signals that this process catches or ignores for itself have their default action, and none is
/// blocked. Fails with ENOTSUP on systems where programs start no others.
int system_spawn(const char *const *arguments, const char *const *environment, const int descriptors[3]);

#endif
