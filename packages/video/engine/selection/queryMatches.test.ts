import { expect, it } from 'vitest';
import { bestMatch, matchQuery, queryTerm } from './queryMatches.ts';

const filler = Array.from({ length: 30 }, (_, index) => ({ start: 100 + index, end: 101 + index, text: 'and the weather stays fine' }));
const cues = [
  { start: 10, end: 12, text: 'What a goal! The second goal of the season.' },
  { start: 50, end: 53, text: 'After the break, an interview with the coach about many other things of the last week' },
  ...filler,
];

it('finds the lines of a query, shorter and repeated mentions first, and ignores words that are everywhere', () => {
  const matches = matchQuery(cues, 'the goals and the Interview');
  expect(matches.map(({ start }) => start)).toEqual([10, 50]);
  expect(matches[0]!.weight).toBe(1);
  expect(matches[1]!.weight).toBeLessThan(1);
});

it('takes common words if the query has no other, and nothing if no word occurs', () => {
  expect(matchQuery(cues, 'weather').length).toBe(30);
  expect(matchQuery(cues, 'submarine')).toEqual([]);
  expect(matchQuery(cues, '…')).toEqual([]);
  expect(matchQuery([], 'goal')).toEqual([]);
});

it('raises the cells of a match and up to 2 s around it', () => {
  const term = queryTerm([{ start: 10, end: 12, text: 'goal', weight: 0.5 }], 40);
  expect([term[15], term[16], term[27], term[28]]).toEqual([0, 0.5, 0.5, 0]);
});

it('explains a segment by the best match in it or near it', () => {
  const matches = [{ start: 10, end: 12, text: 'one', weight: 0.4 }, { start: 15, end: 16, text: 'two', weight: 1 }, { start: 40, end: 41, text: 'far', weight: 1 }];
  expect(bestMatch(matches, { start: 8, end: 13.5 })?.text).toBe('two');
  expect(bestMatch(matches, { start: 20, end: 30 })).toBeNull();
});
