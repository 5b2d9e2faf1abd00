import { expect, test } from 'vitest';
import { toInteractions } from '../matrix/interactions.ts';
import { createRandom } from '../linear/random.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import { listMetrics } from '../evaluation/rankUsers.ts';
import { BestCandidates } from './bestCandidates.ts';
import { SummandLists } from './summandLists.ts';

const [count, users] = [900, 12];

/** Terms of users with 900 candidates, of which the first ten are their own items, and lists that hold them. */
function given(ridge = 0.1) {
  const random = createRandom(4);
  const tools = createRowTools(toInteractions({ pointer: new Float64Array([0, 1]), index: new Int32Array([0]) }, count));
  const lists = new SummandLists(new BestCandidates(tools, count), users, count, [40, 5]);
  const draw = (scale: number) => Float32Array.from({ length: count }, (_, at) => (at < 10 ? 0 : scale * random.normal() ** 3));
  const all = Array.from({ length: users }, () => ({
    candidates: Int32Array.from({ length: count }, (_, at) => at), operator: draw(1), ridge: draw(ridge), als: [draw(0.01), draw(0.02)] as const,
  }));
  const wanted = all.map(() => Int32Array.from({ length: 200 }, (_, at) => 4 * at));
  all.forEach((terms, user) => lists.add(terms, wanted[user] as Int32Array, user < 8));
  return { all, wanted, lists };
}

test('mixtures of the kept items give the lists of all candidates', () => {
  const { all, wanted, lists } = given();
  for (const [ridge, als, confidence] of [[0, 0, 40], [10, 0, 40], [3, 40, 40], [20, 200, 40], [3, 40, 5]] as const) {
    const expected = all.flatMap((terms, user) => {
      const leastSquares = terms.als[confidence === 40 ? 0 : 1];
      const value = Array.from(terms.operator, (own, item) => own + ridge * (terms.ridge[item] as number) + als * (leastSquares[item] as number));
      const best = Int32Array.from([...value.keys()].sort((a, b) => (value[b] as number) - (value[a] as number)).slice(0, 20));
      const { recall, ndcg } = listMetrics(best, wanted[user] as Int32Array);
      return [recall, ndcg];
    });
    expect([...lists.measure({ ridge, als, confidence })]).toEqual(expected);
  }
});

test('the scale gives the summands the 20th values of the operator, over the users that count', () => {
  const { all, lists } = given();
  const last = (terms: ArrayLike<number>): number => Array.from(terms).sort((a, b) => b - a)[19] as number;
  const sum = (termsOf: (terms: (typeof all)[number]) => Float32Array): number => all.slice(0, 8).reduce((total, terms) => total + last(termsOf(terms)), 0);
  const operator = sum((terms) => terms.operator);
  expect(lists.scale.ridge).toBeCloseTo(operator / sum(({ ridge }) => ridge), 6);
  const ofAls = [0, 1].map((variant) => expect.closeTo(operator / sum(({ als }) => als[variant] as Float32Array), 6) as number);
  expect(lists.scale.als).toEqual(ofAls);
});

test('a summand without values, or with values that are rounding errors beside the operator, has no scale', () => {
  const { lists } = given(1e-9);
  expect(lists.scale).toEqual({ ridge: 0, als: given().lists.scale.als.map((scale) => expect.closeTo(scale, 6) as number) });
});
