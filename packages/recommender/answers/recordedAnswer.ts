import type { ModelReader } from '../engine/modelFile/openModel.ts';
import type { Ranking } from '../engine/query/ranking.ts';
import type { Source } from '../engine/query/recommender.ts';

/** Maximum number of items of a list that are recorded. */
const recordedItems = 100;

/** The route that answered, and the parameters that decided the lists. */
export interface RecordedRequest {
  route: 'recommend' | 'related_items' | 'trending_items';
  parameters: object;
}

/** One list of an answer: its entity (null for none), and the ids of its first items. */
export interface RecordedList {
  source_id: string | null;
  items: string[];
}

/** An answer with lists. */
export interface RecordedAnswer {
  organizationId: string;
  /** Null for an answer in CSV. */
  recommendationId: string | null;
  modelId: string;
  modelVersion: number;
  answeredAt: Date;
  request: RecordedRequest;
  lists: readonly RecordedList[];
}

/** Collects the lists of an answer that is being written. */
export class ListRecording {
  readonly lists: RecordedList[] = [];

  add(model: ModelReader, source: Source | null, ranking: Ranking): void {
    this.lists.push(recordList(model, source, ranking));
  }
}

/** Copies the first items of a ranking. */
export function recordList(model: ModelReader, source: Source | null, { item, count }: Ranking): RecordedList {
  const items = Array.from(item.subarray(0, Math.min(count, recordedItems)), (each) => model.ids.get(model.itemNode[each] ?? 0));
  return { source_id: typeof source === 'number' ? model.ids.get(source) : source, items };
}

/** Ids of the entities that an answer is for, whether or not the model knows them. */
export function entitiesOf({ parameters }: RecordedRequest, lists: readonly RecordedList[]): string[] {
  const { entity_id: given = [] } = parameters as { entity_id?: string | string[] | null };
  return [...new Set([...[given ?? []].flat(), ...lists.flatMap(({ source_id: id }) => id ?? [])])];
}
