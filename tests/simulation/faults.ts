import type { SeededRandom } from '@vouch/platform/process/seededRandom';

/** A fault of one simulated process, of the database or of the network, at a point of simulated time. */
export type Fault = { atMs: number } & (
  | { kind: 'kill'; process: string; downMs: number }
  | { kind: 'pause'; process: string; ms: number }
  | { kind: 'cut-off'; process: string; ms: number }
  | { kind: 'slow'; process: string; ms: number; factor: number }
  | { kind: 'deaf'; process: string; ms: number }
  | { kind: 'clock'; process: string; stepMs: number }
  | { kind: 'lose-commit' | 'lose-statement'; process: string; outcome: 'done' | 'not' }
  | { kind: 'database-restart'; ms: number }
  | { kind: 'database-clock'; stepMs: number }
);

interface FaultPlan {
  processes: readonly string[];
  untilMs: number;
  /** Mean interval in ms between two faults. */
  everyMs: number;
}

/** Draws the faults of a run. */
export function drawFaults(random: SeededRandom, { processes, untilMs, everyMs }: FaultPlan): Fault[] {
  return drawEvents(random, { untilMs, everyMs }, () => drawFault(random, random.pick(processes))) as Fault[];
}

/** Draws events at random times until `untilMs`. @param everyMs mean interval in ms between two events */
export function drawEvents<Event extends object>(random: SeededRandom, { untilMs, everyMs }: Omit<FaultPlan, 'processes'>, draw: () => Event): (Event & { atMs: number })[] {
  const events: (Event & { atMs: number })[] = [];
  for (let atMs = 0; ;) {
    atMs += Math.round(-everyMs * Math.log(1 - random.uniform()));
    if (atMs >= untilMs) return events;
    events.push({ atMs, ...draw() });
  }
}

/** Draws a duration in ms; short ones are more frequent. */
export function drawDuration(random: SeededRandom, least: number, most: number): number {
  return Math.round(least * (most / least) ** random.uniform());
}

/** A fault without its time. */
export type Drawn<Each> = Each extends { atMs: number } ? Omit<Each, 'atMs'> : never;

function drawFault(random: SeededRandom, process: string): Drawn<Fault> {
  const outcome = random.uniform() < 0.5 ? 'done' : 'not';
  const sign = random.uniform() < 0.5 ? -1 : 1;
  const at = random.uniform();
  if (at < 0.22) return { kind: 'kill', process, downMs: drawDuration(random, 200, 60_000) };
  if (at < 0.42) return { kind: 'pause', process, ms: drawDuration(random, 1_000, 60_000) };
  if (at < 0.54) return { kind: 'cut-off', process, ms: drawDuration(random, 500, 40_000) };
  if (at < 0.64) return { kind: 'slow', process, ms: drawDuration(random, 5_000, 120_000), factor: drawDuration(random, 100, 5_000) };
  if (at < 0.72) return { kind: 'deaf', process, ms: drawDuration(random, 1_000, 60_000) };
  if (at < 0.78) return { kind: 'clock', process, stepMs: sign * drawDuration(random, 1_000, 86_400_000) };
  if (at < 0.88) return { kind: 'lose-commit', process, outcome };
  if (at < 0.94) return { kind: 'lose-statement', process, outcome };
  if (at < 0.97) return { kind: 'database-restart', ms: drawDuration(random, 100, 30_000) };
  return { kind: 'database-clock', stepMs: sign * drawDuration(random, 500, 20_000) };
}

/** Describes a fault for the story. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'kill': return `is killed; restarts after ${seconds(fault.downMs)}`;
    case 'pause': return `is paused for ${seconds(fault.ms)}`;
    case 'cut-off': return `is cut off from the database for ${seconds(fault.ms)}`;
    case 'slow': return `has a network ${fault.factor} times as slow for ${seconds(fault.ms)}`;
    case 'deaf': return `hears no notifications for ${seconds(fault.ms)}`;
    case 'clock': return `has its wall clock stepped by ${seconds(fault.stepMs)}`;
    case 'lose-commit': return `will lose the connection at its next commit, which ${fault.outcome === 'done' ? 'takes effect' : 'has no effect'}`;
    case 'lose-statement': return `will lose the connection at its next statement that writes, which ${fault.outcome === 'done' ? 'takes effect' : 'has no effect'}`;
    case 'database-restart': return `restarts within ${seconds(fault.ms)}, and loses all connections`;
    case 'database-clock': return `has its clock stepped by ${seconds(fault.stepMs)}`;
  }
}

/** Formats ms for the story. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
