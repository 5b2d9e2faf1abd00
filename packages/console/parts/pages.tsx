import { href, place } from '../api/place.ts';

/** Rows of one page of a list, few enough for a browser to draw at once. */
const rowsOfPage = 100;

/** The path of the page of a list that the address names. */
export function pagedPath(path: string): string {
  const cursor = place.value.query.get('cursor');
  return `${path}?limit=${rowsOfPage}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
}

/** Links to the next page and back to the first. @param next query of the next page, from the header `Link` */
export function Pages({ of, next }: { of: string; next: string | null }) {
  const cursor = place.value.query.get('cursor');
  const following = new URLSearchParams(next ?? '').get('cursor');
  if (cursor === null && following === null) return null;
  return (
    <nav class="row" aria-label="Pages">
      {cursor !== null && <a href={href([of])}>First page</a>}
      {following !== null && <a href={href([of], { cursor: following })}>Next page</a>}
    </nav>
  );
}
