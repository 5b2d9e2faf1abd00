import { CsvBuffer, csvHeader } from '../engine/query/csvRows.ts';
import { explain } from '../engine/query/explain.ts';
import { JsonBuffer } from '../engine/query/jsonBuffer.ts';
import { giveBackJsonExport, takeJsonExport, type JsonExport } from '../engine/query/jsonExport.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import { filterTypes } from '../engine/query/listOptions.ts';
import { PieceMemory } from '../engine/query/pieceMemory.ts';
import type { Recommender, Source } from '../engine/query/recommender.ts';
import { rankList, type AnswerOptions } from './steering/rankList.ts';
import type { RuleSet } from './steering/ruleSet.ts';
import { Steering } from './steering/steering.ts';
import type { ListQuery, RecommendationsAnswer } from './recommendation.schema.ts';

/** Answers are sent in pieces of this size or after this many sources, so that other requests are served in between. */
const pieceBytes = 32 * 1024;
/** Size of the pieces of an export as JSON. A row has four to six times as many bytes as in CSV, so such a piece takes as long as one of CSV, .2 ms. */
const exportPieceBytes = 128 * 1024;
const pieceSources = 64;

/** Whether ids that spreadsheets interpret as formulas get a leading apostrophe, which changes the ids. */
export interface CsvForm {
  safe: boolean;
}

/** Shared buffers; each use ends within one turn of the event loop. */
const exact = new CsvBuffer();
const safe = new CsvBuffer(true);

/** The lists of a few sources as CSV in one piece. */
export function relatedAsWholeCsv(recommender: Recommender, sources: readonly Source[], options: AnswerOptions, form: CsvForm): Buffer {
  const whole = form.safe ? safe : exact;
  whole.begin();
  for (const source of sources) whole.addRanking(recommender, source, rankList(recommender, source, options));
  return whole.take();
}

/**
 * The lists of the given sources as CSV, header first, in pieces of limited size and work.
 * @param pendingBytes number of bytes of earlier pieces that somebody still reads, at least; the others are overwritten. Omitted, all pieces stay as they are
 */
export function* relatedAsCsv(recommender: Recommender, sources: Iterable<Source>, options: AnswerOptions, form: CsvForm, pendingBytes?: () => number): Generator<Buffer> {
  yield Buffer.from(csvHeader);
  yield* relatedInPieces({ buffer: new CsvBuffer(form.safe), bytes: pieceBytes, pendingBytes }, recommender, sources, options);
}

/** The lists of the given sources as elements of a JSON array, without reasons, in pieces of limited size and work. */
export function relatedAsPlainJson(recommender: Recommender, sources: Iterable<Source>, options: AnswerOptions): Generator<Buffer> {
  return relatedInPieces({ buffer: new JsonBuffer(), bytes: pieceBytes }, recommender, sources, options);
}

/** The same as `relatedAsPlainJson`, faster for very many sources. @param pendingBytes as of `relatedAsCsv` */
export function* exportAsPlainJson(recommender: Recommender, sources: Iterable<Source>, options: AnswerOptions, pendingBytes?: () => number): Generator<Buffer> {
  const { model } = recommender;
  const buffer = takeJsonExport(model);
  try {
    yield* relatedInPieces({ buffer, bytes: exportPieceBytes, pendingBytes }, recommender, sources, options);
  } finally {
    giveBackJsonExport(model, buffer);
  }
}

interface Pieces {
  buffer: CsvBuffer | JsonBuffer | JsonExport;
  /** Bytes of a piece, at least. */
  bytes: number;
  pendingBytes?: (() => number) | undefined;
}

function* relatedInPieces({ buffer, bytes, pendingBytes }: Pieces, recommender: Recommender, sources: Iterable<Source>, options: AnswerOptions): Generator<Buffer> {
  const memory = new PieceMemory(pendingBytes);
  let waiting = 0;
  for (const source of sources) {
    buffer.addRanking(recommender, source, rankList(recommender, source, options));
    waiting += 1;
    if (buffer.length < bytes && waiting < pieceSources) continue;
    if (buffer.length > 0) yield buffer.take(memory);
    waiting = 0;
  }
  if (buffer.length > 0) yield buffer.take(memory);
}

/** The lists of the given sources as elements of a JSON array, with reasons; one piece per source with a non-empty list. */
export function* relatedAsJson(recommender: Recommender, sources: Iterable<Source>, options: AnswerOptions): Generator<string> {
  let separator = '';
  for (const source of sources) {
    const ranking = rankList(recommender, source, options);
    if (ranking.count === 0) continue;
    const reasons = explain(recommender.model, typeof source === 'string' ? -1 : source, ranking, recommender.recent);
    yield separator + jsonRows(recommender, source, ranking, reasons);
    separator = ',';
  }
}

/** Trending items as CSV with an empty source column. */
export function trendingAsCsv(recommender: Recommender, options: AnswerOptions, form: CsvForm): Buffer {
  const whole = form.safe ? safe : exact;
  whole.begin();
  whole.addRanking(recommender, -1, rankList(recommender, null, options));
  return whole.take();
}

/** Trending items as elements of a JSON array. @param reasons whether the items have reasons */
export function trendingAsJson(recommender: Recommender, options: AnswerOptions, reasons = true): string {
  const ranking = rankList(recommender, null, options);
  return jsonRows(recommender, -1, ranking, reasons ? explain(recommender.model, -1, ranking, recommender.recent) : null);
}

/**
 * The options of a request.
 * @param rules rules that apply to the lists; null for none
 * @throws Problem invalid-expression
 */
export function answerOptions({ model }: Recommender, query: ListQuery, rules: RuleSet | null = null): AnswerOptions {
  const { filter, boost, offset = 0 } = query;
  const steered = filter !== undefined || boost !== undefined || offset > 0 || rules !== null;
  return {
    types: filterTypes(model, query.entity_type),
    limit: query.max_recommendations ?? 100,
    threshold: query.threshold ?? 0,
    offset,
    steering: steered ? new Steering(model, { filter, boost }, rules) : null,
  };
}

/** The member of an answer that names the rules in force; absent if there are none, so that answers of organizations without rules stay as they are. */
export function rulesMember(rules: RuleSet | null): { rules?: string[] } {
  return rules === null ? {} : { rules: [...rules.names] };
}

/** Members of the answer that precede the recommendations. */
export type AnswerHead = Omit<RecommendationsAnswer, 'recommendations'>;

/**
 * The JSON object of an answer, piece by piece.
 * @param members JSON texts of the recommendations, including separators
 */
export function* recommendationsObject(head: AnswerHead, members: Iterable<string | Buffer>): Generator<string | Buffer> {
  yield `${JSON.stringify(head).slice(0, -1)},"recommendations":[`;
  yield* members;
  yield ']}';
}
