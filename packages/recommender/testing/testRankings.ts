import type { ListOptions } from '../engine/query/listOptions.ts';
import type { Ranking } from '../engine/query/ranking.ts';

/** List options for tests that exclude nothing. */
export const everything: ListOptions = { types: null, limit: 10_000, threshold: 0 };

/** Ids for tests that CSV and JSON must quote or escape. */
export const awkwardIds = ['a,b', 'say "x"', 'two\nlines', 'nul\0inside', 'é', '🎬🍿', ' spaces ', 'x'.repeat(1024), '=1+1', '\r'];

/** The contents of a ranking, best first; for tests. */
export function entries(ranking: Ranking): { item: number; score: number; value: number }[] {
  return Array.from({ length: ranking.count }, (_, at) => ({
    item: ranking.item[at] ?? -1,
    score: ranking.score[at] ?? Number.NaN,
    value: ranking.value[at] ?? Number.NaN,
  }));
}

/** The given number of ordinary ids; for tests. */
export function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `id ${at}`);
}
