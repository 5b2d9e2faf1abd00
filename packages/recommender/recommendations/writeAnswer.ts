import { CsvBuffer, csvHeader } from '../engine/query/csvRows.ts';
import { explain } from '../engine/query/explain.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import type { ListOptions } from '../engine/query/listOptions.ts';
import type { Recommender, Source } from '../engine/query/recommender.ts';
import type { RecommendationsAnswer } from './recommendation.schema.ts';

/** CSV is sent in pieces of this size or after this many sources, so that other requests are served in between. */
const pieceBytes = 32 * 1024;
const pieceSources = 64;

/** Whether ids that spreadsheets interpret as formulas get a leading apostrophe, which changes the ids. */
export interface CsvForm {
  safe: boolean;
}

/** Shared buffers; each use ends within one turn of the event loop. */
const exact = new CsvBuffer();
const safe = new CsvBuffer(true);

/** The lists of a few sources as CSV in one piece. */
export function relatedAsWholeCsv(recommender: Recommender, sources: readonly Source[], options: ListOptions, form: CsvForm): Buffer {
  const whole = form.safe ? safe : exact;
  whole.begin();
  for (const source of sources) whole.addRanking(recommender, source, recommender.recommend(source, options));
  return whole.take();
}

/** The lists of the given sources as CSV, header first, in pieces of limited size and work. */
export function* relatedAsCsv(recommender: Recommender, sources: Iterable<Source>, options: ListOptions, form: CsvForm): Generator<Buffer> {
  yield Buffer.from(csvHeader);
  const csv = new CsvBuffer(form.safe);
  let waiting = 0;
  for (const source of sources) {
    csv.addRanking(recommender, source, recommender.recommend(source, options));
    waiting += 1;
    if (csv.length < pieceBytes && waiting < pieceSources) continue;
    if (csv.length > 0) yield csv.take();
    waiting = 0;
  }
  if (csv.length > 0) yield csv.take();
}

/** The lists of the given sources as elements of a JSON array, with reasons; one piece per source with a non-empty list. */
export function* relatedAsJson(recommender: Recommender, sources: Iterable<Source>, options: ListOptions): Generator<string> {
  let separator = '';
  for (const source of sources) {
    const ranking = recommender.recommend(source, options);
    if (ranking.count === 0) continue;
    const reasons = explain(recommender.model, typeof source === 'string' ? -1 : source, ranking);
    yield separator + jsonRows(recommender, source, ranking, reasons);
    separator = ',';
  }
}

/** Trending items as CSV with an empty source column. */
export function trendingAsCsv(recommender: Recommender, options: ListOptions, form: CsvForm): Buffer {
  const whole = form.safe ? safe : exact;
  whole.begin();
  whole.addRanking(recommender, -1, recommender.trending(options));
  return whole.take();
}

/** Trending items as elements of a JSON array, with reasons. */
export function trendingAsJson(recommender: Recommender, options: ListOptions): string {
  const ranking = recommender.trending(options);
  return jsonRows(recommender, -1, ranking, explain(recommender.model, -1, ranking));
}

/** Members of the answer that precede the recommendations. */
export type AnswerHead = Omit<RecommendationsAnswer, 'recommendations'>;

/**
 * The JSON object of an answer, piece by piece.
 * @param members JSON texts of the recommendations, including separators
 */
export function* recommendationsObject(head: AnswerHead, members: Iterable<string>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"recommendations":[`;
  yield* members;
  yield ']}';
}
