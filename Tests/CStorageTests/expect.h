#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Ends the program with the place and errno when a condition does not hold.
#define EXPECT(condition)                                                                        \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)
