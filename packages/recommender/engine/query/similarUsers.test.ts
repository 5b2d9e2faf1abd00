import { expect, it } from 'vitest';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { storedHistory } from './sessionHistory.ts';
import { similarUsers } from './similarUsers.ts';

it('lists the users with the largest cosine over all users, and names items that both have', async () => {
  const data = filmData(80, 60, 3);
  const histories = new Map<string, string[]>();
  const sizes = new Map<string, number>();
  for (const [at, source] of data.pairs.source.entries()) {
    const [user, item] = [data.nodes.ids[source] ?? '', data.nodes.ids[data.pairs.target[at] ?? 0] ?? ''];
    histories.set(user, [...(histories.get(user) ?? []), item]);
    sizes.set(item, (sizes.get(item) ?? 0) + 1);
  }
  await withModel(trainOn(data), (model) => {
    const sum = (items: readonly string[]): number => items.reduce((total, item) => total + Math.log(1 + histories.size / (sizes.get(item) ?? 0)) ** 2, 0);
    const own = histories.get('user 007') ?? [];
    const expected = [...histories].filter(([user]) => user !== 'user 007').map(([user, theirs]) => {
      const shared = theirs.filter((item) => own.includes(item));
      return { user, shared, score: sum(shared) / Math.sqrt(sum(own) * sum(theirs)) };
    }).sort((a, b) => b.score - a.score);
    const node = model.findNode('user 007');
    const found = similarUsers(model, storedHistory(model, model.nodeUser[node] ?? -1), { own: node, limit: 5, leavesOut: (id) => id === expected[0]?.user });
    expect(found.map((each) => model.ids.get(each.node))).toEqual(expected.slice(1, 6).map(({ user }) => user));
    for (const [at, { score, count, ids, text }] of found.entries()) {
      const wanted = expected[at + 1];
      expect(score).toBeCloseTo(wanted?.score ?? 0, 5);
      expect(count).toBe(wanted?.shared.length);
      expect(wanted?.shared).toEqual(expect.arrayContaining(ids));
      expect(text).toMatch(new RegExp(`^Both chose “${ids[0]}”.*\\.$`));
    }
  });
});
