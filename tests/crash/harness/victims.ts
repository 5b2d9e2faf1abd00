import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { findPostgres, killAll, processTree } from './processTree.ts';
import type { Service } from './service.ts';

/**
 * Longest time between the death of PostgreSQL and the death of its server; long enough for the server to send wrong responses.
 */
const withoutDatabaseMsMax = 500;

/**
 * Sends SIGKILL to a seeded choice: to everything at once; to the server alone (its children must end by themselves); or to
 * PostgreSQL and, a little later, to the server. Resolves when the server is dead.
 */
export async function killSomething(service: Service, random: SeededRandom): Promise<void> {
  const choice = random.below(3);
  if (choice === 0) killEverything(service);
  if (choice === 2) return killDatabaseFirst(service, random);
  await service.kill();
}

/** Sends SIGKILL to a server, its PostgreSQL and all its other processes, at once. */
export function killEverything({ processId }: Service): void {
  killAll([...processTree(processId), ...findPostgres(processId)]);
}

/** Sends SIGKILL to PostgreSQL, and a little later to the server, which runs without a database in between. */
export async function killDatabaseFirst(service: Service, random: SeededRandom): Promise<void> {
  killAll(findPostgres(service.processId));
  await sleep(random.below(withoutDatabaseMsMax));
  await service.kill();
}
