import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

/** One interaction, by ids. `time` is in ms, NaN if unknown. */
export interface Pair {
  source: string;
  target: string;
  time: number;
  /** Stars of a rating, if there are any. */
  rating?: number;
}

/** One entity row. */
export interface Entity {
  id: string;
  type: string;
  name: string;
  metadata: string;
}

/**
 * Converts rows to arrays for the engine: nodes in byte order of their ids; pairs by source and time, with the latest interaction
 * of each pair only.
 */
export function toTrainingData(entities: readonly Entity[], pairs: readonly Pair[]): TrainingData {
  const rows = new Map(entities.map((entity) => [entity.id, entity]));
  const names = new Set<string>(rows.keys());
  for (const { source, target } of pairs) names.add(source).add(target);
  const ids = [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const node = new Map(ids.map((id, number) => [id, number]));
  const types = [...new Set(entities.map(({ type }) => type))].sort();
  const latest = new Map<string, Pair>();
  for (const pair of pairs) {
    const key = `${pair.source}\n${pair.target}`;
    const before = latest.get(key);
    if (before === undefined || !(pair.time < before.time)) latest.set(key, pair);
  }
  const order = Number.NEGATIVE_INFINITY;
  const at = (time: number): number => (Number.isNaN(time) ? order : time);
  const sorted = [...latest.values()]
    .map((pair) => ({ source: node.get(pair.source) ?? -1, target: node.get(pair.target) ?? -1, time: pair.time }))
    .sort((a, b) => a.source - b.source || (at(a.time) === at(b.time) ? 0 : at(a.time) - at(b.time)));
  return {
    types,
    nodes: {
      count: ids.length,
      ids,
      type: Int32Array.from(ids, (id) => types.indexOf(rows.get(id)?.type ?? '')),
      names: ids.map((id) => rows.get(id)?.name ?? ''),
      mediaUrls: ids.map(() => ''),
      metadata: ids.map((id) => rows.get(id)?.metadata ?? ''),
    },
    pairs: {
      count: sorted.length,
      source: Int32Array.from(sorted, ({ source }) => source),
      target: Int32Array.from(sorted, ({ target }) => target),
      time: Float64Array.from(sorted, ({ time }) => time),
    },
  };
}

/** Reads MovieLens latest-small: films with their genres as entities, every rating as an interaction. */
export function readMovieLens(folder: string): { entities: Entity[]; pairs: Pair[] } {
  const entities = csvRows(join(folder, 'movies.csv')).map(([id, name, genres]) => ({
    id: `film-${id}`,
    type: 'film',
    name: name ?? '',
    metadata: JSON.stringify({ genres: (genres ?? '').split('|').filter((genre) => !genre.startsWith('(no')) }),
  }));
  const pairs = csvRows(join(folder, 'ratings.csv')).map(([user, film, stars, seconds]) => ({
    source: `user-${user}`,
    target: `film-${film}`,
    time: Number(seconds) * 1000,
    rating: Number(stars),
  }));
  return { entities, pairs };
}

/** Returns the rows after the header. Fields may be quoted but may not contain line breaks. */
function csvRows(path: string): string[][] {
  const field = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;
  return readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== '')
    .map((line) =>
      Array.from(line.matchAll(field), ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''),
    );
}
