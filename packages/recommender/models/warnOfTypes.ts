import type { DataSummary } from './arrays/trainingSnapshot.ts';
import type { TrainingWarning } from './training/training.schema.ts';

/** Returns a warning for the types of interactions, and one for those of entities, that differ in case, blanks, `_`, `-` and `.` only. */
export function warnOfTypes({ entities, interactions }: DataSummary): TrainingWarning[] {
  return [
    ...describe('interactions', similar(interactions.by_type), 'weights, outcomes of experiments and guardrails name one of them and leave out the others'),
    ...describe('entities', similar(entities.by_type), 'each has its own lists, and entity_type leaves out the others'),
  ];
}

function describe(kind: string, groups: string[][], effect: string): TrainingWarning[] {
  if (groups.length === 0) return [];
  const named = groups.slice(0, 3).map((group) => group.slice(0, 5).map((type) => JSON.stringify(type)).join(', ')).join('; ');
  return [{
    code: 'similar-types',
    detail: `The ${kind} have types that differ in case or blanks only: ${named}. They are different types: ${effect}. Write each type in one way and upload the file again.`,
  }];
}

function similar(byType: Readonly<Record<string, number>>): string[][] {
  const groups = new Map<string, string[]>();
  for (const type of Object.keys(byType)) {
    const word = type.toLowerCase().replaceAll(/[\s_.-]/g, '');
    groups.set(word, [...(groups.get(word) ?? []), type]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
