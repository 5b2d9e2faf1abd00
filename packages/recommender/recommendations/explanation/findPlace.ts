import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import type { Ranking } from '../../engine/query/ranking.ts';

/** Factor by which more of a list is ranked until it contains the item. */
const growth = 8;
/** Number of shorter lists that are tried, enough for a binary search in a million items. */
const maxRounds = 20;

/** Where a list contains an item. */
export interface Place {
  rank: number;
  score: number;
  value: number;
  kind: Ranking['kind'];
  history: GivenHistory | null;
  /** Number of items up to this one, of the item's type where the limit counts for each type. */
  count: number;
  /** The limit of the list with this rank. */
  limit: number;
}

/** A list whose limit counts for all types together. */
interface List {
  rank: (limit: number) => Ranking;
  /** Awaited before each ranking, because up to 29 rankings of many items would delay other queries. */
  rest: () => Promise<void>;
}

/**
 * Finds the rank of an item, in the list with the given limit or, if that list does not contain the item, in the shortest list that does. The
 * order of items of different types can depend on the limit, so the rank is of a list that was ranked.
 * @param items number of items of the model
 * @returns the kind of the list if the complete list does not contain the item
 */
export async function findPlace(list: List, item: number, limit: number, items: number): Promise<Place | Ranking['kind']> {
  let without = limit;
  for (let ranked = limit; ; ranked = Math.min(items, ranked * growth)) {
    const place = await placeIn(list, item, ranked);
    if (typeof place !== 'string') return ranked === limit ? place : shorten(list, item, place, without);
    if (ranked >= items) return place;
    without = ranked;
  }
}

/** Searches for the shortest list with the item. @param without limit of a list without the item */
async function shorten(list: List, item: number, found: Place, without: number): Promise<Place> {
  let place = found;
  let low = without;
  let guess = found.count > low ? found.count : (low + found.limit) >> 1;
  for (let round = 0; round < maxRounds && place.count < place.limit && low + 1 < place.limit; round += 1) {
    const again = await placeIn(list, item, guess);
    if (typeof again === 'string') low = guess;
    else place = again;
    guess = typeof again === 'string' || again.count <= low ? (low + place.limit) >> 1 : again.count;
  }
  return place;
}

async function placeIn({ rank, rest }: List, item: number, limit: number): Promise<Place | Ranking['kind']> {
  await rest();
  const ranking = rank(limit);
  const at = ranking.item.subarray(0, ranking.count).indexOf(item);
  if (at < 0) return ranking.kind;
  const { kind, history } = ranking;
  return { rank: at + 1, score: ranking.score[at] ?? 0, value: ranking.value[at] ?? 0, kind, history, count: at + 1, limit };
}
