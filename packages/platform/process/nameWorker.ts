import { hostname } from 'node:os';

/** A process in the rows of the jobs that it runs and of the leases that it holds: name of its machine / its number there. */
export function nameWorker(processId: number): string {
  return `${hostname()}/${processId}`;
}
