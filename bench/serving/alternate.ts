import { setTimeout as sleep } from 'node:timers/promises';
import { runPacedLoad, type PacedReport, type PacedRequest } from './pacedLoad.ts';

/** An activity that runs beside a loaded server. */
export interface Disturbance {
  /** Resolves when the activity ends. */
  done: Promise<unknown>;
  /** Id of the process to pause; undefined while there is no process. */
  processId(): number | undefined;
}

export interface Alternation {
  idle: PacedReport;
  disturbed: PacedReport;
}

const sliceMs = 5_000;
/**
 * Times that count as neither idle nor disturbed: the first seconds of a load, when the server is rested, and the end of delayed
 * requests after a slice.
 */
const leadMs = 2_000;
const settleMs = 1_000;
/** Still counts as disturbed, because the server replaces the model after its training. */
const afterEndMs = 1_000;

/**
 * Loads a server while a disturbance alternately runs and is paused (SIGSTOP), five seconds each, and reports the two phases
 * separately. The phases alternate quickly because the machine's speed drifts: p99 of idle runs, at half of the initial
 * saturation rate, was 3 to 16 ms in one series and 209 to 1,726 ms in the next.
 * @param disturb starts the disturbance
 * @throws Error if the load or the disturbance fails
 */
export async function alternate(load: Omit<PacedRequest<string>, 'phase' | 'ended'>, disturb: () => Disturbance): Promise<Alternation> {
  let phase: 'between' | keyof Alternation = 'between';
  let ended = false;
  const loading = runPacedLoad({ ...load, phase: () => phase, ended: () => ended });
  // If the load fails, each wait below rejects with the load's error.
  const wait = (milliseconds: number): Promise<unknown> => Promise.race([sleep(milliseconds), loading.then(() => undefined)]);
  try {
    await wait(leadMs);
    phase = 'idle';
    await wait(sliceMs);
    phase = 'disturbed';
    const { done, processId } = disturb();
    const ending = done.then(() => true);
    for (let over = false; !over;) {
      over = await Promise.race([wait(sliceMs).then(() => false), ending]);
      const stopped = over ? undefined : processId();
      if (stopped === undefined || !signal(stopped, 'SIGSTOP')) continue;
      try {
        phase = 'between';
        await wait(settleMs);
        phase = 'idle';
        await wait(sliceMs);
      } finally {
        phase = 'disturbed';
        signal(stopped, 'SIGCONT');
      }
    }
    await wait(afterEndMs);
  } finally {
    ended = true;
  }
  const reports = await loading;
  const reportOf = (name: keyof Alternation): PacedReport => {
    const report = reports.get(name);
    if (report === undefined) throw new Error(`no request was due while the server was ${name}`);
    return report;
  };
  return { idle: reportOf('idle'), disturbed: reportOf('disturbed') };
}

/** Sends a signal. Returns false if the process has ended since it was found. */
function signal(processId: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(processId, name);
  } catch {
    return false;
  }
}
