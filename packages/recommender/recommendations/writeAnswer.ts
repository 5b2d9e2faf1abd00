import { CsvBuffer, csvHeader } from '../engine/query/csvRows.ts';
import { explain } from '../engine/query/explain.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import type { ListOptions } from '../engine/query/listOptions.ts';
import type { Recommender } from '../engine/query/recommender.ts';

/** CSV goes out in pieces of this size or after this many sources, so that other requests have their turn. */
const pieceBytes = 32 * 1024;
const pieceSources = 64;

/** Used within one turn of the event loop each time. */
const whole = new CsvBuffer();

/** The lists of the given nodes as CSV in one piece; for a few nodes. */
export function relatedAsWholeCsv(recommender: Recommender, nodes: readonly number[], options: ListOptions): Buffer {
  whole.begin();
  for (const node of nodes) whole.addRanking(recommender, node, recommender.recommend(node, options));
  return whole.take();
}

/** The lists of the given nodes as CSV, header first, in pieces of bounded size and work. */
export function* relatedAsCsv(recommender: Recommender, nodes: Iterable<number>, options: ListOptions): Generator<Buffer> {
  yield Buffer.from(csvHeader);
  const csv = new CsvBuffer();
  let sources = 0;
  for (const node of nodes) {
    csv.addRanking(recommender, node, recommender.recommend(node, options));
    sources += 1;
    if (csv.length < pieceBytes && sources < pieceSources) continue;
    if (csv.length > 0) yield csv.take();
    sources = 0;
  }
  if (csv.length > 0) yield csv.take();
}

/** The lists of the given nodes as members of a JSON array, with reasons; one piece per source that has any. */
export function* relatedAsJson(recommender: Recommender, nodes: Iterable<number>, options: ListOptions): Generator<string> {
  let separator = '';
  for (const node of nodes) {
    const ranking = recommender.recommend(node, options);
    if (ranking.count === 0) continue;
    yield separator + jsonRows(recommender, node, ranking, explain(recommender.model, node, ranking));
    separator = ',';
  }
}

/** Trending items as CSV with an empty source. */
export function trendingAsCsv(recommender: Recommender, options: ListOptions): Buffer {
  whole.begin();
  whole.addRanking(recommender, -1, recommender.trending(options));
  return whole.take();
}

/** Trending items as members of a JSON array, with reasons. */
export function trendingAsJson(recommender: Recommender, options: ListOptions): string {
  const ranking = recommender.trending(options);
  return jsonRows(recommender, -1, ranking, explain(recommender.model, -1, ranking));
}

/** The object that stands around the recommendations; `members` are JSON texts with their separators. */
export function* recommendationsObject(
  head: { recommendation_id: string; model_id: string; model_version: number; unknown_ids: readonly string[] },
  members: Iterable<string>,
): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"recommendations":[`;
  yield* members;
  yield ']}';
}
