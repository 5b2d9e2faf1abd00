import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdOut as holdOutForChoice } from '../../packages/recommender/engine/choice/holdOut.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { interactionHeader } from '../../packages/recommender/sample/csvText.ts';
import { tastePieces, tasteShapes } from '../data/generateTastes.ts';
import { holdOutLatest, type HeldOut } from './holdOut.ts';
import { readMovieLens } from './readData.ts';
import { readTables } from './readTables.ts';
import { itemId, readUserItems, toPairs, userId } from './readUserItems.ts';

/** Where the data of a comparison comes from: one of the four. */
export interface PeerSource {
  /** Files with lines of the form `user item item …`. */
  split?: { train: string; test: string } | undefined;
  /** CSV file of interactions with timestamps. */
  interactions?: string | undefined;
  /** Folder of MovieLens latest-small. */
  movielens?: string | undefined;
  /** Interactions a user of generated data, and the seed. */
  generated?: { perUser: string; seed: number } | undefined;
}

/** Data of a comparison: with times, the last tenth of each user is held out; the CSV file contains all interactions. */
export interface PeerData {
  heldOut: HeldOut;
  csv: string | null;
}

const seed = 1;

/** Reads or generates the data of a comparison; a CSV file goes to the folder. */
export async function loadPeerData({ split, interactions, movielens, generated }: PeerSource, folder: string): Promise<PeerData> {
  if (split !== undefined) {
    const wanted = new Map([...(await readUserItems(split.test))].map(([user, items]) => [userId(user), [...new Set(items)].map(itemId)] as const));
    return { heldOut: { data: toPairs(await readUserItems(split.train)), wanted }, csv: null };
  }
  if (interactions !== undefined) return { heldOut: holdOutLatest(await readTables([interactions])), csv: interactions };
  const csv = join(folder, 'interactions.csv');
  if (movielens !== undefined) {
    const rows = readMovieLens(movielens).pairs.map(({ source, target, time }) => `rating,${source},${target},${time},\n`);
    writeFileSync(csv, `${interactionHeader}\n${rows.join('')}`);
  } else {
    const shape = tasteShapes[generated?.perUser ?? ''];
    if (shape === undefined) throw new Error(`--generated is one of ${Object.keys(tasteShapes).join(', ')} interactions a user, not ${generated?.perUser}`);
    writeFileSync(csv, [...tastePieces({ ...shape, seed: generated?.seed ?? seed })].join(''));
  }
  return { heldOut: holdOutLatest(await readTables([csv])), csv };
}

/**
 * Writes train.txt and test.txt, and tuning-train.txt and tuning-test.txt with the interactions that a training with seed 1 holds out of
 * train.txt for the choice of its setting: other recommenders are tuned on the same split and the same users.
 */
export function writeSplits({ data, wanted }: HeldOut, folder: string): void {
  const catalogue = numberItems(data);
  const history = buildHistory(data, catalogue);
  const { train, test, users } = holdOutForChoice(history, catalogue, seed);
  const node = new Map(data.nodes.ids.map((id, number) => [id, number]));
  let unknown = catalogue.itemNode.length;
  // An item without training interactions counts as wanted but has a number that no recommender lists.
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const known = catalogue.nodeItem[node.get(id) ?? -1] ?? -1;
    if (known >= 0) return known;
    if (!numbers.has(id)) numbers.set(id, unknown++);
    return numbers.get(id) as number;
  };
  const lineOf = (rows: { pointer: Float64Array; index: Int32Array }, user: number): string => {
    const items = rows.index.subarray(rows.pointer[user], rows.pointer[user + 1]);
    return items.length === 0 ? '' : `${user} ${items.join(' ')}\n`;
  };
  const all = [...catalogue.userNode.keys()];
  const later = all.map((user) => ({ user, items: wanted.get(data.nodes.ids[catalogue.userNode[user] as number] as string) ?? [] }));
  const write = (name: string, lines: string[]): void => writeFileSync(join(folder, `${name}.txt`), lines.join(''));
  write('train', all.map((user) => lineOf(history, user)));
  write('test', later.map(({ user, items }) => (items.length === 0 ? '' : `${user} ${items.map(numberOf).join(' ')}\n`)));
  write('tuning-train', all.map((user) => lineOf(train, user)));
  write('tuning-test', Array.from(users, (user) => lineOf(test, user)));
}
