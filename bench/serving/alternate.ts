import { setTimeout as sleep } from 'node:timers/promises';
import { runPacedLoad, type PacedReport, type PacedRequest } from './pacedLoad.ts';

/** Something that runs beside a loaded server. */
export interface Disturbance {
  /** Resolves when it is over. */
  done: Promise<unknown>;
  /** The process to stop for a while; undefined while there is none. */
  processId(): number | undefined;
}

export interface Alternation {
  idle: PacedReport;
  disturbed: PacedReport;
}

const sliceMs = 5_000;
/** Neither idle nor disturbed: the first seconds of a load, which find a rested server, and what is late after a slice. */
const leadMs = 2_000;
const settleMs = 1_000;
/** Counts as disturbed: a model is replaced after its training. */
const afterEndMs = 1_000;

/**
 * Loads a server while a disturbance runs for five seconds, is stopped (SIGSTOP) for five, and so on until it is over, and
 * tells the two apart. Seconds of one machine compare with the next ones, not with those a minute later: p99 of idle runs, at
 * half of what the server took at first, was 3 to 16 ms in one series and 209 to 1,726 ms in the next.
 * @param disturb starts what disturbs
 * @throws Error where the load or the disturbance fails
 */
export async function alternate(load: Omit<PacedRequest<string>, 'phase' | 'ended'>, disturb: () => Disturbance): Promise<Alternation> {
  let phase: 'between' | keyof Alternation = 'between';
  let ended = false;
  const loading = runPacedLoad({ ...load, phase: () => phase, ended: () => ended });
  // A load that fails ends each wait below with its own error.
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

/** Says whether the process was still there: it may end between being found and being signalled. */
function signal(processId: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(processId, name);
  } catch {
    return false;
  }
}
