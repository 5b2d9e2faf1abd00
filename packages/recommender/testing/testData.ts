import type { TrainingData } from '../engine/data/trainingData.ts';

/** One entity of a test: id, type, name, metadata. */
export type EntityRow = readonly [id: string, type: string, name?: string, metadata?: unknown];
/** One interaction of a test: source, target, time in ms. */
export type PairRow = readonly [source: string, target: string, time?: number];

/** Training data of a test, numbered and sorted as `TrainingData` requires. Pairs must be distinct. */
export function trainingData(entities: readonly EntityRow[], rows: readonly PairRow[]): TrainingData {
  const known = new Map(entities.map((entity) => [entity[0], entity]));
  const ids = [...new Set([...known.keys(), ...rows.flatMap(([source, target]) => [source, target])])].sort();
  const types = [...new Set(entities.map(([, type]) => type))].sort();
  const node = new Map(ids.map((id, number) => [id, number]));
  const time = (row: PairRow): number => row[2] ?? Number.NEGATIVE_INFINITY;
  const pairs = rows.toSorted(
    (a, b) => (node.get(a[0]) ?? 0) - (node.get(b[0]) ?? 0) || (time(a) === time(b) ? 0 : time(a) - time(b)),
  );
  return {
    types,
    nodes: {
      count: ids.length,
      ids,
      type: Int32Array.from(ids, (id) => types.indexOf(known.get(id)?.[1] ?? '')),
      names: ids.map((id) => known.get(id)?.[2] ?? ''),
      mediaUrls: ids.map(() => ''),
      metadata: ids.map((id) => {
        const metadata = known.get(id)?.[3];
        return metadata === undefined ? '' : typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
      }),
    },
    pairs: {
      count: pairs.length,
      source: Int32Array.from(pairs, ([source]) => node.get(source) ?? -1),
      target: Int32Array.from(pairs, ([, target]) => node.get(target) ?? -1),
      time: Float64Array.from(pairs, (row) => row[2] ?? Number.NaN),
    },
  };
}

/** Films of two genres, and users who each have nearly all films of one genre, so that the right neighbours are obvious. */
export function twoBlocks(users = 12, films = 6): { entities: EntityRow[]; pairs: PairRow[] } {
  const entities: EntityRow[] = [];
  const pairs: PairRow[] = [];
  for (const genre of ['crime', 'romance']) {
    for (let film = 0; film < films; film++) entities.push([`${genre}-${film}`, 'film', '', { genre }]);
    for (let user = 0; user < users; user++) {
      for (let film = 0; film < films; film++) {
        if (film !== user % films) pairs.push([`${genre}-user-${user}`, `${genre}-${film}`]);
      }
    }
  }
  return { entities, pairs };
}
