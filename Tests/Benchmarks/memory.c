// What this machine's memory allows: how long it takes to read so many megabytes, by one thread and by one for each
// processor, and to copy them. Of twenty rounds the fastest.
//
//     cc -O2 -pthread Tests/Benchmarks/memory.c -o memory && ./memory 91

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 20, most_threads = 64 };

struct part {
  const uint64_t *words;
  size_t count;
  uint64_t sum;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void *read_part(void *argument) {
  struct part *part = argument;
  // Four sums, so that no addition waits for the one before it.
  uint64_t sums[4] = {0, 0, 0, 0};
  for (size_t index = 0; index + 4 <= part->count; index += 4)
    for (size_t lane = 0; lane < 4; lane++) sums[lane] += part->words[index + lane];
  part->sum = sums[0] + sums[1] + sums[2] + sums[3];
  return NULL;
}

static double reading(const uint64_t *words, size_t count, size_t threads) {
  double best = 1e9;
  for (int round = 0; round < rounds; round++) {
    struct part parts[most_threads];
    pthread_t others[most_threads];
    double start = now();
    for (size_t index = 0; index < threads; index++) {
      parts[index] = (struct part){words + count / threads * index, count / threads, 0};
      if (index > 0 && pthread_create(&others[index], NULL, read_part, &parts[index])) exit(1);
    }
    read_part(&parts[0]);
    for (size_t index = 1; index < threads; index++) pthread_join(others[index], NULL);
    double time = now() - start;
    if (time < best) best = time;
    // Uses the sums, which the compiler would leave out otherwise.
    for (size_t index = 0; index < threads; index++)
      if (parts[index].sum == 1) puts("");
  }
  return best;
}

int main(int count, char **arguments) {
  double megabytes = count > 1 ? atof(arguments[1]) : 91;
  size_t bytes = (size_t)(megabytes * 1e6) / 32 * 32;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t threads = processors < 1 ? 1 : processors > most_threads ? most_threads : (size_t)processors;
  uint64_t *words = malloc(bytes), *copy = malloc(bytes);
  if (!words || !copy) return 1;
  for (size_t index = 0; index < bytes / 8; index++) words[index] = index;
  memset(copy, 1, bytes);
  double copying = 1e9;
  for (int round = 0; round < rounds; round++) {
    double start = now();
    memcpy(copy, words, bytes);
    double time = now() - start;
    if (time < copying) copying = time;
    if (copy[round] == 0 && round > 0) puts("");
  }
  printf("read, 1 thread      %7.1f ms\n", reading(words, bytes / 8, 1));
  printf("read, %2zu threads    %7.1f ms\n", threads, reading(words, bytes / 8, threads));
  printf("copy, 1 thread      %7.1f ms\n", copying);
  return 0;
}
