import { expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { ItemScores } from '../evaluation/itemScores.ts';
import { mixInto } from '../evaluation/scoreHistory.ts';
import { PlainTools } from '../kernels/plainTools.ts';
import { createRandom } from '../linear/random.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import { followedItems, transitionWeight } from '../time/historyWeights.ts';
import { transitionRows } from '../time/transitionRows.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { BestCandidates } from './bestCandidates.ts';
import { FollowedLists } from './followedLists.ts';

const items = 80;
const limit = 5;

/** Users who step through 80 items, mostly to one of the next four, so that items have few and many transitions. */
function steps(): PairRow[] {
  const random = createRandom(4);
  return Array.from({ length: 60 }, (_, user) => {
    let item = random.below(items);
    const taken = new Set<number>();
    for (let step = 0; step < 12; step++) {
      taken.add(item);
      item = (item + (random.uniform() < 0.8 ? 1 + random.below(4) : random.below(items))) % items;
    }
    return [...taken].map((each, at): PairRow => [`u${user}`, `i${String(each).padStart(2, '0')}`, at]);
  }).flat();
}

test('a list that follows transitions has the items that mixing all scores of operator and transitions would list', () => {
  const data = trainingData([], steps());
  const catalogue = numberItems(data);
  const history = buildHistory(data, catalogue);
  const lists = new FollowedLists(history, catalogue, items);
  const rows = transitionRows(history, catalogue.itemGroup, catalogue.targetTypes.length);
  const best = new BestCandidates(new PlainTools(), items);
  const random = createRandom(5);
  let mixed = 0;
  for (let user = 0; user < 60; user++) {
    const own = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    const candidates = Int32Array.from({ length: items }, (_, item) => item).filter((item) => !own.includes(item) && random.uniform() < 0.6);
    const count = [0, 3, candidates.length][user % 3] as number;
    // Few values, so that values are equal; some below 0, as with a ridge.
    const value = Float32Array.from(candidates, () => random.below(12) - 3);
    const scorer = {
      candidates, value, count, bestCandidates: best, best: (most: number) => best.of(candidates, value, count, most),
    };
    lists.begin(own);
    for (const share of [0.3, 0.7, 1, 0.3, 0.01]) {
      const [operator, next] = [new ItemScores(items), new ItemScores(items)];
      for (let place = 0; place < count; place++) operator.add(candidates[place] as number, value[place] as number);
      own.toReversed().slice(0, followedItems).forEach((item, rank) => {
        for (let at = rows.pointer[item] as number; at < (rows.pointer[item + 1] as number); at++) next.add(rows.index[at] as number, transitionWeight(rank) * (rows.value[at] as number));
      });
      for (const item of own) next.value[item] = 0;
      mixInto(operator, next, share);
      const [key, chosen] = [operator.value.slice(), Int32Array.from({ length: items }, (_, item) => item)];
      selectLargest(key, chosen, items, limit);
      sortLargestFirst(key, chosen, limit);
      const expected = [...chosen.subarray(0, limit)].filter((_, place) => (key[place] as number) > 0);
      expect([...lists.list(share, scorer, limit)]).toEqual(expected);
      if (count > limit && expected.some((item) => !candidates.includes(item)) && expected.some((item) => candidates.includes(item))) mixed++;
    }
  }
  // Lists of both kinds of items decide between them.
  expect(mixed).toBeGreaterThan(20);
});
