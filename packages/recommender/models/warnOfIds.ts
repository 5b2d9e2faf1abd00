import type { DataSummary, IdCounts } from './arrays/trainingSnapshot.ts';
import type { TrainingWarning } from './training/training.schema.ts';

/** Returns warnings of ids that do not mean one thing each: the same id in two roles, two ways to write an id, blanks, and words for a missing id. */
export function warnOfIds({ entities, interactions: { ids } }: DataSummary): TrainingWarning[] {
  if (ids === undefined) return [];
  const warnings: TrainingWarning[] = [];
  if (ids.shared > 0) {
    warnings.push({
      code: 'shared-ids',
      detail: `${ids.shared} ${ids.shared === 1 ? 'id is' : 'ids are'} both source_id and target_id of interactions. Equal ids mean one entity, which has a history and is recommended: its lists are those of the item, not of the user. ` +
        'If users and items are numbered separately, upload them with different ids, such as u1 and f1. If sources and targets are the same kind of thing, such as people who follow people, nothing is wrong.',
    });
  }
  if (entities.distinct > 0 && rarelyMatch(ids)) {
    warnings.push({
      code: 'ids-without-entity',
      detail: `Of ${ids.targets} different target_id, ${ids.targets - ids.targets_without_entity} have an entity, and of ${ids.sources} different source_id, ${ids.sources - ids.sources_without_entity}, although there are ${entities.distinct} entities. ` +
        'Check that both files write ids in the same way: 1, 1.0 and f1 are three ids. Without entities, recommended items have no name, and entity_type and filters leave them out.',
    });
  }
  const { padded = 0, placeholders = [] } = ids;
  if (padded > 0) {
    warnings.push({
      code: 'padded-ids',
      detail: `${padded} ${padded === 1 ? 'id begins or ends' : 'ids begin or end'} with a blank. "u1" and "u1 " are two entities, each with a part of the history, and entity_id names the second one only in double quotes. ` +
        'Remove these blanks and upload the file again.',
    });
  }
  if (placeholders.length > 0) {
    warnings.push({
      code: 'placeholder-ids',
      detail: `The data has ${placeholders.length === 1 ? 'the id' : 'the ids'} ${placeholders.slice(0, 10).map((id) => JSON.stringify(id)).join(', ')}. Such a text usually stands for a missing id: all its interactions count as those of one user or item. Leave out rows without an id.`,
    });
  }
  return warnings;
}

/** Whether fewer than a tenth of the targets, and of the sources, have an entity: entities can be those of users alone, or of items alone. */
function rarelyMatch(ids: IdCounts): boolean {
  return ids.targets > 0 && ids.targets_without_entity > 0.9 * ids.targets && ids.sources_without_entity > 0.9 * ids.sources;
}
