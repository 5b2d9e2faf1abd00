import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { trainingData } from '../../packages/recommender/testing/testData.ts';
import { holdOutLatest } from './holdOut.ts';
import { figuresOf } from './recommend.ts';
import { readUserItems, toPairs } from './readUserItems.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-recommend-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('a file of user and items', () => {
  test('becomes pairs sorted by source, each once', async () => {
    const data = toPairs(await readUserItems(write('pairs.txt', ['10 3 4 3', '', '2 4', '7'])));
    expect(data.nodes.ids).toEqual(['i3', 'i4', 'u10', 'u2']);
    expect([...data.pairs.source]).toEqual([2, 2, 3]);
    expect([...data.pairs.target]).toEqual([0, 1, 1]);
  });

  test.each([['1 2 x'], ['1 -2'], ['1 2.5']])('%j is refused with its line', async (line) => {
    await expect(readUserItems(write('bad.txt', ['0 1', line]))).rejects.toThrow(/bad\.txt, line 2: .*user item item/);
  });
});

test('recommend finds what the users of one taste left out', async () => {
  // Two groups of eight items; each user has all items of one group except one, which the test file expects.
  const users = Array.from({ length: 32 }, (_, user) => ({ user, own: Array.from({ length: 8 }, (_, item) => item + 8 * (user % 2)), gap: (user >> 1) % 8 }));
  const train = write('train.txt', users.map(({ user, own, gap }) => [user, ...own.filter((_, at) => at !== gap)].join(' ')));
  const test = write('test.txt', users.map(({ user, own, gap }) => `${user} ${own[gap]}`));
  const figures = await figuresOf(['--train', train, '--test', test, '--k', '1', '--json']);
  expect(figures).toMatchObject({ 'recall@1': 1, 'ndcg@1': 1, users: 32, setting: { name: 'auto', pu: -0.5 } });
});

test('the last tenth in time is held out', () => {
  const films = Array.from({ length: 11 }, (_, at): [string, string, number] => ['ann', `film-${at}`, 100 - at]);
  const { data, wanted } = holdOutLatest(trainingData([], [...films, ['bob', 'film-1', 5]]));
  expect([...wanted]).toEqual([['ann', ['film-0']]]);
  expect(data.pairs.count).toBe(11);
  expect(() => holdOutLatest(trainingData([], [['ann', 'film-1']]))).toThrow('no interaction has a timestamp');
});

test.each([[['--k', '0']], [['--setting', 'best']], [['--train', 'a']], [['--interactions', 'a', '--holdout', 'random']]])(
  '%j is refused with the usage',
  async (args) => {
    await expect(figuresOf(args)).rejects.toThrow('usage: npm run -s bench -- recommend');
  },
);
