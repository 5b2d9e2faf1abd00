import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Recommender, Source } from '../engine/query/recommender.ts';
import type { ExperimentMember } from './recommendation.schema.ts';

/** Refuses a list of an item for an experiment: an item has no outcomes. @throws Problem invalid-parameter */
export function requireUser({ model }: Recommender, source: Source | null | undefined, { id }: ExperimentMember): void {
  if (typeof source !== 'number' || (model.nodeItem[source] ?? -1) < 0) return;
  const detail = `model_id is the experiment ${JSON.stringify(id)}, which compares users, and ${JSON.stringify(model.ids.get(source).slice(0, 100))} is an item. Send the id of a user as entity_id, or the id of a model.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'entity_id', detail }] });
}
