import type { Ranking } from '../../engine/query/ranking.ts';
import { testedTogether } from './dividedParts.ts';
import type { Steering } from './steering.ts';

/** The ranks that are tested together; a visit never begins within another. */
const ranks = new Int32Array(testedTogether);

/**
 * Visits the entries of a ranking whose items pass, best first.
 * @param allows whether an item is tested at all; null for all items
 * @param take called with the place of each entry, from 0, until it returns false
 * @throws Problem expression-too-expensive
 */
export function visitPassing({ item, count }: Ranking, steering: Steering, allows: ((item: number) => boolean) | null, take: (rank: number) => boolean): void {
  const together = steering.testedTogether;
  let rank = 0;
  while (rank < count) {
    let found = 0;
    for (; rank < count && found < together; rank += 1) if (allows === null || allows(item[rank] ?? 0)) ranks[found++] = rank;
    const passed = steering.keepPassing(item, ranks, found);
    for (let at = 0; at < passed; at += 1) if (!take(ranks[at] ?? 0)) return;
  }
}
