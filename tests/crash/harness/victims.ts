import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../packages/recommender/sample/seededRandom.ts';
import { findPostgres, killAll, processTree } from './processTree.ts';
import type { Service } from './service.ts';

/** Between the death of PostgreSQL and that of its server; long enough to answer requests wrongly. */
const withoutDatabaseMsMax = 500;

/**
 * SIGKILL, by the seed: to everything at once, to the server alone (its children must follow by themselves), or to
 * PostgreSQL and, while the server works without it, to the server. Resolves when the server is dead.
 */
export async function killSomething(service: Service, random: SeededRandom): Promise<void> {
  const choice = random.below(3);
  if (choice === 0) killEverything(service);
  if (choice === 2) return killDatabaseFirst(service, random);
  await service.kill();
}

/** SIGKILL to a server, its PostgreSQL and whatever else it started, at once. */
export function killEverything({ processId }: Service): void {
  killAll([...processTree(processId), ...findPostgres(processId)]);
}

/** SIGKILL to PostgreSQL, and a little later to the server that works without it. */
export async function killDatabaseFirst(service: Service, random: SeededRandom): Promise<void> {
  killAll(findPostgres(service.processId));
  await sleep(random.below(withoutDatabaseMsMax));
  await service.kill();
}
