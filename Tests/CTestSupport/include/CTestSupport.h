// Limits how many tests of a process run at once; see parallelism.c. There is nothing to call.
