// The server's events. A browser has six connections to a server, which all tabs and the person's own app share:
// a tab that nobody sees holds none.

import { address, parse } from "./data.js";

/**
 * Listens to the server's events while the tab is visible.
 *
 * @param {{ connected: (isLive: boolean) => void, missed: () => void, [kind: string]: (value: any) => void }} listeners
 * A listener for each kind; `connected` hears that the stream opens and breaks, `missed` that events were not heard.
 */
export function listen({ connected, missed, ...kinds }) {
  let source;
  // What is read while the page opens shows nothing older.
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
      // The browser resumes a broken stream by itself, but not a refused one.
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(follow, 3_000);
    };
  }

  document.addEventListener("visibilitychange", follow);
  // A page that the browser keeps for "Back" would keep its connection, too.
  addEventListener("pagehide", close);
  follow();
}
