import { readFileSync } from 'node:fs';
import { tasteEntities, tastePieces, tasteShapes } from '../data/generateTastes.ts';
import { readMovieLens, type Entity, type Pair } from './readData.ts';

/** Options of a benchmark on data whose items have metadata. */
export const describedOptions = {
  interactions: { type: 'string' }, items: { type: 'string' }, generated: { type: 'string' }, seed: { type: 'string', default: '41' },
} as const;

/** Usage text of these options. */
export const describedUsage = '<folder of ml-latest-small> | --interactions <.inter> --items <.item> | --generated 3|6|20|60 [--seed 41]';

/**
 * Reads interactions and items with metadata: MovieLens latest-small, the files `ml-100k.inter` and `ml-100k.item` of the Python package `recbole`, files in their
 * format (`describedDependencies.py`), or generated data.
 * @returns null if no data is named
 */
export function readDescribed(
  { generated = '', seed, interactions, items }: { generated?: string | undefined; seed: string; interactions?: string | undefined; items?: string | undefined }, folder?: string,
): { entities: Entity[]; pairs: Pair[] } | null {
  const shape = tasteShapes[generated];
  if (shape !== undefined) {
    const taste = { ...shape, seed: Number(seed) };
    const lines = [...tastePieces(taste)].join('').trim().split('\n').slice(1).map((line) => line.split(','));
    return { entities: tasteEntities(taste), pairs: lines.map(([, source = '', target = '', time]) => ({ source, target, time: Number(time) })) };
  }
  if (folder !== undefined) return readMovieLens(folder);
  if (interactions === undefined || items === undefined) return null;
  return {
    entities: tableOf(items).map(([id = '', name = '', , genres = '']) => ({ id, type: 'film', name, metadata: JSON.stringify({ genres: genres.split(' ') }) })),
    pairs: tableOf(interactions).map(([user = '', target = '', , seconds]) => ({ source: `user-${user}`, target, time: Number(seconds) * 1000 })),
  };
}

/** The rows after the header of a file whose fields are separated by tabs. */
function tableOf(path: string): string[][] {
  return readFileSync(path, 'utf8').trim().split('\n').slice(1).map((line) => line.trimEnd().split('\t'));
}
