#define _GNU_SOURCE
#include "CStorage.h"

#if defined(__APPLE__)

#include <copyfile.h>
#include <errno.h>
#include <stddef.h>
#include <sys/acl.h>

static int may_be_left_out(int error) { return error == ENOTSUP || error == EPERM || error == EACCES; }

int storage_copy_attributes(int source, int target, int same_group) {
  (void)same_group;
  return fcopyfile(source, target, NULL, COPYFILE_XATTR) == 0 || may_be_left_out(errno) ? 0 : -1;
}

int storage_has_access_list(int file) {
  acl_t list = acl_get_fd_np(file, ACL_TYPE_EXTENDED);
  if (list == NULL) return errno != ENOENT && !may_be_left_out(errno);
  acl_free(list);
  return 1;
}

// Not by copyfile(3), which leaves out what the source's list has inherited, and leaves what the target's has.
int storage_copy_access_list(int source, int target, int same_group) {
  // Such a list names groups, but never just the file's own.
  (void)same_group;
  int has_list = source >= 0 && storage_has_access_list(source);
  if (!has_list && !storage_has_access_list(target)) return 1;
  acl_t list = has_list ? acl_get_fd_np(source, ACL_TYPE_EXTENDED) : acl_init(1);
  int result = list == NULL ? -1 : acl_set_fd_np(target, list, ACL_TYPE_EXTENDED);
  int error = errno;
  if (list != NULL) acl_free(list);
  errno = error;
  if (result == 0) return 1;
  return may_be_left_out(error) ? 0 : -1;
}

#else

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static const char posix_list[] = "system.posix_acl_access";

static int may_be_left_out(int error) {
  return error == ENOTSUP || error == EPERM || error == EACCES || error == ENODATA;
}

/// Returns 1 after copying; 0 when the attribute is left out.
static int copy_attribute(int source, int target, const char *name) {
  ssize_t size = fgetxattr(source, name, NULL, 0);
  if (size < 0) return may_be_left_out(errno) ? 0 : -1;
  char *value = malloc(size > 0 ? (size_t)size : 1);
  if (value == NULL) return -1;
  size = fgetxattr(source, name, value, (size_t)size);
  int result = size < 0 ? -1 : fsetxattr(target, name, value, (size_t)size, 0);
  int error = errno;
  free(value);
  errno = error;
  if (result == 0) return 1;
  return may_be_left_out(error) ? 0 : -1;
}

// All that the kernel keeps under "system." are access lists: system.nfs4_acl and the like.
static int is_copied(const char *name, int same_group) {
  return strcmp(name, posix_list) != 0 && (same_group || strncmp(name, "system.", strlen("system.")) != 0);
}

int storage_copy_attributes(int source, int target, int same_group) {
  ssize_t size = flistxattr(source, NULL, 0);
  if (size <= 0) return size == 0 || may_be_left_out(errno) ? 0 : -1;
  char *names = malloc((size_t)size);
  if (names == NULL) return -1;
  size = flistxattr(source, names, (size_t)size);
  int result = size < 0 ? -1 : 0;
  for (char *name = names; result >= 0 && name < names + size; name += strlen(name) + 1) {
    if (is_copied(name, same_group)) result = copy_attribute(source, target, name);
  }
  int error = errno;
  free(names);
  errno = error;
  return result < 0 ? -1 : 0;
}

int storage_has_access_list(int file) {
  return fgetxattr(file, posix_list, NULL, 0) >= 0 || !may_be_left_out(errno);
}

int storage_copy_access_list(int source, int target, int same_group) {
  int has_list = source >= 0 && storage_has_access_list(source);
  // The list has an entry for the file's group, which would give another group its rights.
  int result = has_list && same_group ? copy_attribute(source, target, posix_list) : 0;
  if (result != 0) return result;
  // A directory's default list is inherited by new files.
  if (!storage_has_access_list(target) || fremovexattr(target, posix_list) == 0) return !has_list;
  return may_be_left_out(errno) ? 0 : -1;
}

#endif
