import type { PlantedFault } from './plantedFault.ts';

const verifier = 'packages/verifier';
const reporter = 'packages/gateway/activityReporter';

/** Faults of the report of days and of statements about days. The simulation must find those with a seed. */
export const daysPlants: readonly PlantedFault[] = [
  { name: 'days are read at the newest block of any endpoint', seed: 4, scenario: 'days', file: `${verifier}/rewards/fetchDays.ts`, replace: 'const at = { block: head.hash, ', by: 'const at = { ' },
  { name: 'a node counts a day before its end is settled', seed: null, scenario: 'days', file: `${verifier}/rewards/watchDays.ts`, replace: 'return index - 1 - Math.max(0, Math.ceil((begin - block.timestamp) / (end - begin)));', by: 'return index - 1 + 0 * (begin + end);' },
  { name: 'an endpoint that is behind makes a node count a day again', seed: 3, scenario: 'days', file: `${verifier}/rewards/watchDays.ts`, replace: 'counted > index + 1 ?', by: 'counted > index - 1 ?' },
  { name: 'a gateway compares a day before a later block is final', seed: null, scenario: 'days', file: `${reporter}/createActivityReporter.ts`, replace: 'return block !== null && block.timestamp >= day.begin;', by: 'return block !== null;' },
  { name: 'a gateway does not state lost days', seed: 1, scenario: 'days', file: `${reporter}/closeDays.ts`, replace: 'wereThere.filter((node) => weightOf.get(node) === 0)', by: '[]' },
  { name: 'a gateway takes a report for a credit', seed: null, scenario: 'days', file: `${reporter}/activityStore.ts`, replace: 'update gateway_activity set credited = false where', by: 'update gateway_activity set credited = true where' },
  { name: 'a gateway reports no days', seed: 1, scenario: 'days', file: `${reporter}/reportActivity.ts`, replace: 'if (nodes.length === 0) return', by: 'if (nodes.length >= 0) return' },
  { name: 'a credited day is reported again', seed: null, scenario: 'days', file: `${reporter}/activityStore.ts`, replace: '       where known.credited = false`,', by: '       where known.credited is not null`,' },
];
