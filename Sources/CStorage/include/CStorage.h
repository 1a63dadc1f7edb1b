#ifndef CSTORAGE_H
#define CSTORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The system calls that differ between Linux and Apple's systems, or that Swift's C overlays lack, with the same
// signature on all systems. Each returns 0 or a result >= 0; on failure -1 with errno set. `.ci/check-c` compiles them for
// every system. Where a call of Apple's does more or less than its name says, the code cites the sentence of the manual.

// MARK: - Files

/// The result of `fstat`, with the same field names on every system.
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

/// Closes a descriptor. Does not retry after EINTR, since the descriptor may already belong to another thread.
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

/// Orders writes: the content of this file reaches the medium before any later write. The content need not be there when
/// this returns. To wait for it, call storage_synchronize for this file or another one on the same device.
///
/// A new file is ordered, renamed, and its directory synchronized: a power cut at any moment leaves the old file or the
/// new one whole, and after the last step the new one.
int storage_order(int file);

/// Forces a file or directory to the medium and, with it, everything that was ordered on the same device before.
int storage_synchronize(int file);

/// Copies extended attributes. What the target's file system or our rights do not allow is skipped without an error.
/// With same_group, also access lists of other kinds than POSIX, which Linux has as attributes (NFS).
int storage_copy_attributes(int source, int target, int same_group);

/// 1 when a file has an access control list, or may have one; else 0. On Linux, the group's permission bits of such a
/// file are the most that the list grants to anyone but its owner and others.
int storage_has_access_list(int file);

/// Gives a new file the access control list of another file, or none when that has none or source is -1.
///
/// same_group: whether the files have the same group. Without it, lists with an entry for the file's group are not given.
/// Returns 1 when the new file has the same list, or none either; 0 when a list cannot be given, or not be taken away.
int storage_copy_access_list(int source, int target, int same_group);

/// Takes the exclusive lock of an open file without waiting; EWOULDBLOCK when another process has it.
int storage_lock(int file);

/// The same for a file that other programs read. Fails with ENOTSUP on network mounts, where the lock of a file may keep
/// others from reading it.
int storage_lock_content(int file);

/// Ends the lock of an open file, also where a program that is just being started has a copy of the descriptor.
int storage_unlock(int file);

/// 1 when something is mounted on the name itself, so that it cannot be renamed; 0 when not. Fails with ENOTSUP where the
/// system does not tell.
int storage_is_mount_point(int directory, const char *name);

// MARK: - The process

/// Makes a broken pipe and an exceeded file size limit errors instead of signals that end the process. Handlers that the
/// program has installed stay.
void storage_ignore_signals(void);

/// Makes a pipe, whose ends do not block and are closed in programs that are started: ends[0] to read, ends[1] to write.
int storage_pipe(int ends[2]);

/// Lowers the priority of the calling thread below that of the process's other threads, for the thread's lifetime.
///
/// Does nothing where a thread has only a quality of service, as on macOS.
void storage_thread_lower_priority(void);

/// The most files that this process may hold open, sockets among them; INT64_MAX without a limit.
int64_t system_open_file_limit(void);

/// Raises the limit of open files as far as the system lets this user, but no further than `wanted`. A limit that is
/// higher already stays. Programs that are started later inherit it.
int system_raise_open_file_limit(int64_t wanted);

/// Catches signals for the rest of the process's life: each writes its number as one byte to a pipe.
///
/// After the return no signal is lost, on any thread, however late the pipe is read. Before the return, a signal has
/// its default action. SIGHUP stays ignored if it was ignored, as under `nohup`.
///
/// Returns the end to read, the same one at each call.
int system_catch_signals(const int *numbers, int count);

/// Starts a program, found in this process's PATH unless its name has a slash, and returns its process id.
///
/// The program gets three descriptors as its standard input, output and error, and no other descriptor of this process,
/// even if another thread opens one now. Signals that this process catches or ignores have their default action, and none is
/// blocked. A program that leads a group gets the signals that are sent to the group of its id, as its children do. Fails with
/// ENOTSUP on systems where programs start no others.
int system_spawn(
    const char *const *arguments, const char *const *environment, const int descriptors[3], bool leads_group);

#endif
