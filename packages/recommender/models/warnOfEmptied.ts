import type { DataSummary } from './arrays/trainingSnapshot.ts';
import type { TrainingWarning } from './training/training.schema.ts';

/** Returns a warning of entities whose newest row, most often an event that changes one value, leaves out metadata or names that an older row has. */
export function warnOfEmptied({ entities: { emptied, distinct } }: DataSummary): TrainingWarning[] {
  if (emptied === undefined) return [];
  const { metadata, names } = emptied;
  const lost = [...(metadata > 0 ? [`${metadata} no longer ${metadata === 1 ? 'has' : 'have'} metadata`] : []), ...(names > 0 ? [`${names} no longer ${names === 1 ? 'has' : 'have'} a name`] : [])];
  return [{
    code: 'emptied-entities',
    detail: `Of ${distinct} entities, ${lost.join(', and ')}, because the newest row or event of an entity replaces it as a whole, also where it leaves a value out. ` +
      'Filters and similarity do without these values. Send name and metadata with every change of an entity, such as one of available; to mend it, upload the complete rows again.',
  }];
}
