import { signal } from '@preact/signals';

const base = '/console';

/** The place in the console: the path below /console, and the query. */
export interface Place {
  path: readonly string[];
  query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.slice(base.length).split('/').filter((part) => part !== '').map(decodeURIComponent);
  return { path, query: new URLSearchParams(location.search) };
}

export const place = signal<Place>(read());

/** What happened because the user left the page before; shown on the next page, until another page is opened. */
export const leftBehind = signal<string | null>(null);

/** Returns the address of a place, each part encoded. */
export function href(path: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return [base, ...path.map(encodeURIComponent)].join('/') + (search === '' ? '' : `?${search}`);
}

/** Goes to an address of the console. @param replace replaces the entry of the history, for changes while typing */
export function go(to: string, replace = false): void {
  leftBehind.value = null;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  place.value = read();
  if (!replace) scrollTo(0, 0);
}

/** Follows the back button, and links to places of the console without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => { leftBehind.value = null; place.value = read(); });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
    if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
    document.getElementById('main')?.focus();
  });
}
