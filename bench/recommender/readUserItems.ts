import { readFile } from 'node:fs/promises';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

/** Item numbers by user number, as in files in the format of the LightGCN repository. */
export type UserItems = ReadonlyMap<number, readonly number[]>;

/**
 * Reads a file with lines of the form `user item item …`.
 * @throws Error that names the first invalid line
 */
export async function readUserItems(path: string): Promise<UserItems> {
  const lists = new Map<number, number[]>();
  const lines = (await readFile(path, 'utf8')).split('\n');
  lines.forEach((line, at) => {
    const words = line.trim().split(/\s+/);
    if (words[0] === '') return;
    const numbers = words.map(Number);
    if (!numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 2 ** 31)) {
      throw new Error(`${path}, line ${at + 1}: not a line of whole numbers "user item item …", but ${JSON.stringify(line.slice(0, 80))}`);
    }
    const [user = 0, ...items] = numbers;
    lists.set(user, [...(lists.get(user) ?? []), ...items]);
  });
  if (lists.size === 0) throw new Error(`${path} has no line "user item item …"`);
  return lists;
}

/**
 * Converts the lists to arrays for the engine, without entities and times. Ids are `u<user>` and `i<item>`; repeated items count
 * once.
 */
export function toPairs(lists: UserItems): TrainingData {
  const names = new Set<string>();
  for (const [user, items] of lists) {
    if (items.length > 0) names.add(userId(user));
    for (const item of items) names.add(itemId(item));
  }
  const ids = [...names].sort();
  const node = new Map(ids.map((id, number) => [id, number]));
  const users = [...lists.keys()].sort((a, b) => (userId(a) < userId(b) ? -1 : 1));
  const source: number[] = [];
  const target: number[] = [];
  for (const user of users) {
    for (const item of new Set(lists.get(user))) {
      source.push(node.get(userId(user)) as number);
      target.push(node.get(itemId(item)) as number);
    }
  }
  const empty = ids.map(() => '');
  return {
    types: [],
    nodes: { count: ids.length, ids, type: new Int32Array(ids.length).fill(-1), names: empty, mediaUrls: empty, metadata: empty },
    pairs: {
      count: source.length, source: Int32Array.from(source), target: Int32Array.from(target), time: new Float64Array(source.length).fill(Number.NaN),
    },
  };
}

export const userId = (user: number): string => `u${user}`;
export const itemId = (item: number): string => `i${item}`;
