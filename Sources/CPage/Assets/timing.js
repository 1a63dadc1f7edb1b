// Actions that run less often than they are called.

/** Runs at the first call, and for later calls once more after the run and the interval have ended. */
export function throttled(milliseconds, action) {
  let isWanted = false;
  let isRunning = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await Promise.allSettled([(async () => action())(), new Promise((resolve) => { setTimeout(resolve, milliseconds); })]);
    }
    isRunning = false;
  };
}

/** Runs when no call has come for the interval, such as after the user has typed. */
export function debounced(milliseconds, action) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
