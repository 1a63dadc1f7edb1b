// The server's events. A browser opens at most six connections to a server, shared by all tabs and the user's app,
// so a hidden tab holds none.

import { address, parse } from "./data.js";

/**
 * Listens to the server's events while the tab is visible.
 * @param {{ connected: (isLive: boolean) => void, missed: () => void, [kind: string]: (value: any) => void }} listeners
 * A listener for each kind. `connected` is called when the stream opens or breaks, `missed` when events were lost.
 */
export function listen({ connected, missed, ...kinds }) {
  let source;
  // A visible page has just read everything.
  let hasMissed = document.hidden;

  function close() {
    source?.close();
    source = undefined;
    hasMissed = true;
  }

  function follow() {
    if (document.hidden) return close();
    if (source) return;
    const opened = source = new EventSource(address("/__admin/events"));
    opened.onopen = () => {
      connected(true);
      if (hasMissed) missed();
      hasMissed = false;
    };
    for (const [kind, listener] of Object.entries(kinds)) opened.addEventListener(kind, ({ data }) => listener(parse(data)));
    opened.onerror = () => {
      hasMissed = true;
      connected(false);
      // The browser reopens a broken stream, but not a refused one.
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(follow, 3_000);
    };
  }

  document.addEventListener("visibilitychange", follow);
  // A page that the browser caches for "Back" would keep its connection.
  addEventListener("pagehide", close);
  follow();
}
