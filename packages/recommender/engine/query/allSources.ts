import { csvHeader, CsvBuffer } from './csvRows.ts';
import type { ListOptions, TypeFilter } from './listOptions.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender } from './recommender.ts';

/** A piece goes out at this size or after this many sources, so that the process stays free for other requests. */
const pieceBytes = 32 * 1024;
const pieceSources = 64;

/**
 * The lists of all nodes in node order; each is valid until the next one is asked for.
 * @param sourceTypes only sources of these types, null for all
 */
export function* allSources(
  recommender: Recommender,
  options: ListOptions,
  sourceTypes: TypeFilter | null = null,
): Generator<{ node: number; ranking: Ranking }> {
  const { nodeType } = recommender.model;
  for (let node = 0; node < nodeType.length; node += 1) {
    if (sourceTypes !== null && sourceTypes[(nodeType[node] ?? -1) + 1] !== 1) continue;
    yield { node, ranking: recommender.recommend(node, options) };
  }
}

/** The CSV file of all sources, header first, in pieces of bounded size and work. */
export function* allAsCsv(
  recommender: Recommender,
  options: ListOptions,
  sourceTypes: TypeFilter | null = null,
): Generator<Buffer> {
  yield Buffer.from(csvHeader);
  const csv = new CsvBuffer();
  let sources = 0;
  for (const { node, ranking } of allSources(recommender, options, sourceTypes)) {
    csv.addRanking(recommender, node, ranking);
    sources += 1;
    if (csv.length < pieceBytes && sources < pieceSources) continue;
    if (csv.length > 0) yield csv.take();
    sources = 0;
  }
  if (csv.length > 0) yield csv.take();
}
