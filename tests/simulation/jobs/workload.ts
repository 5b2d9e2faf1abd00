import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { drawDuration } from '../faults.ts';

/** How the work of a job behaves. */
type Behaviour =
  | { does: 'completes' }
  /** Throws an unexpected error the first `times` times. */
  | { does: 'throws'; times: number }
  /** Throws a Problem, which ends the job. */
  | { does: 'refuses' };

/** A job that a client of the installation starts, and perhaps cancels. */
export interface PlannedJob {
  name: string;
  atMs: number;
  /** The server process that gets the request. */
  server: string;
  kind: string;
  organization: string;
  serialKey?: string;
  /** Duration in ms of each stage. */
  stagesMs: number[];
  behaviour: Behaviour;
  /** Time in ms between the answer to the request and the request to cancel. */
  cancelAfterMs?: number;
}

export const kindNames = ['analysis', 'training'] as const;
export const stageNames = ['first', 'second', 'third'] as const;
export const maxAttempts = 3;

/** Draws the jobs of a run, evenly distributed over the time. */
export function drawJobs(random: SeededRandom, { count, untilMs, servers }: { count: number; untilMs: number; servers: readonly string[] }): PlannedJob[] {
  return Array.from({ length: count }, (_, at) => {
    const organization = random.pick(['north', 'south', 'north']);
    const job: PlannedJob = {
      name: `job ${at + 1}`, atMs: Math.floor(random.uniform() * untilMs), server: random.pick(servers), kind: random.pick(kindNames), organization,
      stagesMs: stageNames.map(() => drawDuration(random, 50, 120_000)),
      behaviour: drawBehaviour(random),
    };
    if (random.uniform() < 0.3) job.serialKey = `${organization} model ${random.below(3)}`;
    if (random.uniform() < 0.15) job.cancelAfterMs = Math.round(random.uniform() * 60_000);
    return job;
  }).sort((one, other) => one.atMs - other.atMs);
}

function drawBehaviour(random: SeededRandom): Behaviour {
  const at = random.uniform();
  if (at < 0.7) return { does: 'completes' };
  if (at < 0.8) return { does: 'refuses' };
  return { does: 'throws', times: 1 + random.below(maxAttempts + 1) };
}
