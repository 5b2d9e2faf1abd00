import type { ListOptions } from '../engine/query/listOptions.ts';
import type { Ranking } from '../engine/query/ranking.ts';

/** For tests: nothing is left out. */
export const everything: ListOptions = { types: null, limit: 10_000, threshold: 0 };

/** For tests: ids that CSV and JSON have to quote. */
export const awkwardIds = ['a,b', 'say "x"', 'two\nlines', 'nul\0inside', 'é', '🎬🍿', ' spaces ', 'x'.repeat(1024), '=1+1', '\r'];

/** For tests: what a ranking holds, best first. */
export function entries(ranking: Ranking): { item: number; score: number; value: number }[] {
  return Array.from({ length: ranking.count }, (_, at) => ({
    item: ranking.item[at] ?? -1,
    score: ranking.score[at] ?? Number.NaN,
    value: ranking.value[at] ?? Number.NaN,
  }));
}

/** For tests: so many ids without surprises. */
export function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `id ${at}`);
}
