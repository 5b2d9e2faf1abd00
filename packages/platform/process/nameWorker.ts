import { hostname } from 'node:os';

/** Names a process in the rows of jobs and leases: name of the machine / process id. */
export function nameWorker(processId: number): string {
  return `${hostname()}/${processId}`;
}
