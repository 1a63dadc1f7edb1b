#define _GNU_SOURCE
#include "CStorage.h"

#if defined(__APPLE__)

#include <copyfile.h>
#include <errno.h>
#include <stddef.h>

int storage_copy_attributes(int source, int target, int with_access_list) {
  if (fcopyfile(source, target, NULL, COPYFILE_XATTR | (with_access_list ? COPYFILE_ACL : 0)) == 0) return 0;
  return errno == ENOTSUP || errno == EPERM || errno == EACCES ? 0 : -1;
}

#else

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static int may_be_left_out(int error) {
  return error == ENOTSUP || error == EPERM || error == EACCES || error == ENODATA;
}

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
  return result == 0 || may_be_left_out(error) ? 0 : -1;
}

// All that the kernel keeps under "system." are access lists: system.posix_acl_access, system.nfs4_acl and the like.
static int is_access_list(const char *name) { return strncmp(name, "system.", strlen("system.")) == 0; }

int storage_copy_attributes(int source, int target, int with_access_list) {
  ssize_t size = flistxattr(source, NULL, 0);
  if (size <= 0) return size == 0 || may_be_left_out(errno) ? 0 : -1;
  char *names = malloc((size_t)size);
  if (names == NULL) return -1;
  size = flistxattr(source, names, (size_t)size);
  int result = size < 0 ? -1 : 0;
  for (char *name = names; result == 0 && name < names + size; name += strlen(name) + 1) {
    if (with_access_list || !is_access_list(name)) result = copy_attribute(source, target, name);
  }
  int error = errno;
  free(names);
  errno = error;
  return result;
}

#endif
