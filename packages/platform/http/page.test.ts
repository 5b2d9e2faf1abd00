import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { linkNextPage, readCursor } from './page.ts';

/** Returns the cursor in the header `Link` of a list. */
function cursorOf(url: string, next: number): string {
  let link = '';
  const reply = { header: (_name: string, value: string) => { link = value; } } as unknown as FastifyReply;
  linkNextPage({ url }, reply, 'http://vouch.test', next);
  return new URL(/^<(.*)>; rel="next"$/.exec(link)?.[1] ?? '').searchParams.get('cursor') ?? '';
}

describe('a cursor', () => {
  it.each([0, 17, 999_999_999_999_999])('leads back to its position, %d, whatever else the query of the same list has', (position) => {
    const cursor = cursorOf('/v1/runs?limit=2', position);
    expect(readCursor({ url: `/v1/runs?cursor=${cursor}` }, cursor)).toBe(position);
    expect(cursor.length).toBeLessThanOrEqual(64);
  });

  it('of another list, another model or an earlier release, or one that is made up, is refused', () => {
    const others = [cursorOf('/v1/recommender/data_batch', 17), cursorOf('/v1/recommender/b/trainings', 17), 'MTc', '', 'x', `${cursorOf('/v1/recommender/a/trainings', 17)}=`];
    for (const cursor of others) {
      expect(() => readCursor({ url: '/v1/recommender/a/trainings?limit=2' }, cursor), cursor).toThrow(/is not a cursor of this list/);
    }
  });
});
