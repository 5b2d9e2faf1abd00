import type { TrainingData } from '../../engine/data/trainingData.ts';
import { isPadded, isPlaceholder } from '../../batches/scan/oddIds.ts';
import { idRoles } from './idRoles.ts';
import type { IdCounts } from './trainingSnapshot.ts';

/**
 * Counts the ids of liked and disliked pairs: how many are both source and target, and how many have no entity row. Of these ids and those of entities,
 * it counts the ones with blanks at an end, and lists the ones that mean a missing value.
 */
export function countIds(data: TrainingData): IdCounts {
  const { nodes } = data;
  const { isSource, isTarget } = idRoles(data);
  const counts = { sources: 0, targets: 0, shared: 0, sources_without_entity: 0, targets_without_entity: 0, padded: 0 };
  const placeholders: string[] = [];
  for (let node = 0; node < nodes.count; node++) {
    const [source, target, bare] = [isSource[node] as number, isTarget[node] as number, nodes.type[node] === -1 ? 1 : 0];
    counts.sources += source;
    counts.targets += target;
    counts.shared += source & target;
    counts.sources_without_entity += source & bare;
    counts.targets_without_entity += target & bare;
    const id = nodes.ids[node] as string;
    if (isPadded(id)) counts.padded += 1;
    if (isPlaceholder(id)) placeholders.push(id);
  }
  return placeholders.length === 0 ? counts : { ...counts, placeholders };
}
