import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { parseTimestamp } from '../engine/columns/columnValue.ts';
import type { GivenHistory } from '../engine/query/givenHistory.ts';
import { filterTypes } from '../engine/query/listOptions.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { sessionHistory, type SessionEntry } from '../engine/query/sessionHistory.ts';
import { weightOf } from '../models/sql/interactionWeights.ts';
import { findItems, findSources } from './findSources.ts';
import type { ListsBody } from './recommendRequest.schema.ts';
import { groupLimit } from './steering/limitGroups.ts';
import type { RuleSet } from './steering/ruleSet.ts';
import type { ListRequest, ListSource } from './steering/rankRequest.ts';
import { Steering } from './steering/steering.ts';

/** A request in the model's numbers. */
interface ReadRequest {
  lists: ListSource[];
  request: Omit<ListRequest, 'seen'>;
  /** Ids of the request that the model does not know, without repeats. */
  unknownIds: string[];
  /** The history whose items a list contains too; null for none. */
  includeSeen(from: ListSource): GivenHistory | null;
}

/**
 * Reads a request for one model.
 * @param rules rules that apply to the lists; null for none
 * @throws Problem unknown-entity, invalid-expression or invalid-parameter
 */
export function readListRequest(recommender: Recommender, body: ListsBody, rules: RuleSet | null = null): ReadRequest {
  const { model } = recommender;
  const unknown = new Set<string>();
  const itemOf = (id: string): number => {
    const node = model.findNode(id);
    const item = node < 0 ? -1 : (model.nodeItem[node] ?? -1);
    if (item < 0) unknown.add(id);
    return item;
  };
  const itemsOf = (ids: readonly string[]): number[] => ids.map(itemOf).filter((item) => item >= 0);
  const lists = readSources(recommender, body, itemOf, unknown);
  const request = {
    types: filterTypes(model, body.entity_type),
    limit: body.max_recommendations ?? 100,
    offset: body.offset ?? 0,
    threshold: body.threshold ?? 0,
    steering: new Steering(model, body, rules),
    // An excluded id that the model does not know is excluded anyway.
    excluded: new Set((body.exclude ?? []).map((id) => model.nodeItem[model.findNode(id)] ?? -1)),
    candidates: body.candidates === undefined ? null : new Set(itemsOf(body.candidates)),
    diversity: body.diversity ?? 0,
    perGroup: body.per_group === undefined ? null : groupLimit(model, body.per_group.column, body.per_group.limit),
    pinned: readPinned(body.pinned ?? [], itemOf),
  };
  const includeSeen = (from: ListSource): GivenHistory | null => (body.include_seen === true ? historyOf(recommender, from) : null);
  return { lists, request, unknownIds: [...unknown], includeSeen };
}

function readSources(recommender: Recommender, body: ListsBody, itemOf: (id: string) => number, unknown: Set<string>): ListSource[] {
  const given = body.entity_id ?? [];
  const ids = [...new Set(typeof given === 'string' ? [given] : given)];
  if (body.history === undefined) {
    if (ids.length === 0) return [{ source: null, history: null }];
    const sources = body.items_only === true ? findItems(recommender, ids, body.unknown) : findSources(recommender, ids, body.unknown);
    for (const id of sources.unknown) unknown.add(id);
    return sources.listed.map((source) => ({ source, history: null }));
  }
  if (ids.length > 1) throw invalid('/entity_id', `entity_id has ${ids.length} ids and there is a history. A session belongs to one entity: send one id, or none.`);
  const [id] = body.items_only === true ? [] : ids;
  const node = id === undefined ? -1 : recommender.model.findNode(id);
  if (id !== undefined && !recommender.knows(id)) unknown.add(id);
  const source = node >= 0 ? node : (id ?? null);
  return [{ source, history: sessionHistory(recommender.historyOf(source), readEntries(body.history, itemOf)) }];
}

function readEntries(history: NonNullable<ListsBody['history']>, itemOf: (id: string) => number): SessionEntry[] {
  const entries = history.map(({ id, type, timestamp, weight }, at) => ({
    item: itemOf(id), weight: weight ?? weightOf(type ?? null, {}), time: timestamp === undefined ? null : readTime(timestamp, at),
  }));
  if (entries.every(({ time }) => time !== null)) entries.sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  return entries.filter(({ item }) => item >= 0);
}

/** Numbers below 1e11 are seconds, as in uploads. */
function readTime(timestamp: string | number, at: number): number {
  const time = typeof timestamp === 'number' ? (Math.abs(timestamp) < 1e11 ? timestamp * 1000 : timestamp) : parseTimestamp(timestamp.trim());
  if (Number.isFinite(time)) return time;
  throw invalid(`/history/${at}/timestamp`, `The timestamp ${JSON.stringify(timestamp).slice(0, 100)} of history entry ${at + 1} is neither ISO 8601 nor a number.`);
}

function readPinned(pinned: NonNullable<ListsBody['pinned']>, itemOf: (id: string) => number): ListRequest['pinned'] {
  const positions = new Set(pinned.map(({ position }) => position));
  const ids = new Set(pinned.map(({ id }) => id));
  if (positions.size < pinned.length || ids.size < pinned.length) throw invalid('/pinned', 'pinned has an id or a position twice. Each item has one position, and each position one item.');
  return pinned.map(({ id, position }) => ({ item: itemOf(id), place: position - 1 })).filter(({ item }) => item >= 0).sort((a, b) => a.place - b.place);
}

function historyOf(recommender: Recommender, { source, history }: ListSource): GivenHistory | null {
  if (history !== null || source === null) return history;
  const isItem = typeof source === 'number' && (recommender.model.nodeItem[source] ?? -1) >= 0;
  return isItem ? null : recommender.historyOf(source);
}

function invalid(location: string, detail: string) {
  return platformErrors.problem('invalid-parameter', detail, { errors: [{ location, detail }] });
}
