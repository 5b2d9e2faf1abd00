import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killAll, processIds, statFields, untilGone, type ProcessMark } from './processTree.ts';

/** Variable that all processes have that a runner started, also those whose parent has died. */
const variable = 'VOUCH_TEST_RUNNER';
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A process that began after the interruption may be a step of a clean-up, e.g. an unmount, which has this time. */
const sweepMs = 1_000;
/** Time for the clean-up of the test. It fails soon, because the servers that it talks to are dead. */
const cleanUpMs = 20_000;
/** Ctrl-C reaches the program twice within this time, from the terminal and from npm. */
const doubledMs = 1_000;

let interruption: NodeJS.Signals | null = null;

/** Whether the program was told to end. A test that fails afterwards says nothing about its promise. */
export function isInterrupted(): boolean {
  return interruption !== null;
}

/**
 * Runs the tests of a program. After SIGINT, SIGTERM or SIGHUP, it kills what the tests started, which have process groups of their own and would live on;
 * then the tests fail and remove their folders. The program ends with 128 and the number of the signal. A later signal skips the clean-up. Needs Linux;
 * elsewhere, the signals end the program alone.
 */
export async function runInterruptibly(work: () => Promise<void>): Promise<void> {
  if (process.platform !== 'linux') return await work();
  const runner = `${process.pid}-${Date.now()}`;
  process.env[variable] = runner;
  const mark = `${variable}=${runner}`;
  const done = work();
  let since = 0;
  const interrupted = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of Object.keys(signals) as (keyof typeof signals)[]) {
      process.on(signal, () => {
        if (interruption !== null && performance.now() - since > doubledMs) endNow(mark, signals[signal]);
        if (interruption !== null) return;
        since = performance.now();
        interruption = signal;
        resolve(signal);
      });
    }
  });
  const signal = await Promise.race([done.then(() => null), interrupted]);
  if (signal === null) return;
  console.error(`${signal}: ending what the tests started`);
  const settled = new AbortController();
  const failed = done.catch(() => undefined).finally(() => settled.abort());
  await Promise.race([failed, sweep(mark, settled.signal), sleep(cleanUpMs)]);
  settled.abort();
  const left = startedBy(mark);
  killAll(left);
  await untilGone(left);
  endNow(mark, signals[signal as keyof typeof signals]);
}

/** Kills what lives now, and then again and again what has lived for a while. */
async function sweep(mark: string, settled: AbortSignal): Promise<void> {
  for (let known = startedBy(mark); !settled.aborted;) {
    const living = startedBy(mark);
    killAll(living.filter(({ processId, start }) => known.some((each) => each.processId === processId && each.start === start)));
    known = living;
    await sleep(sweepMs, undefined, { signal: settled }).catch(() => undefined);
  }
}

function endNow(mark: string, code: number): never {
  killAll(startedBy(mark));
  process.exit(code);
}

function startedBy(mark: string): ProcessMark[] {
  return processIds().flatMap((processId) => {
    try {
      if (!readFileSync(`/proc/${processId}/environ`, 'latin1').split('\0').includes(mark)) return [];
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
    const start = statFields(processId)?.[19];
    return start === undefined ? [] : [{ processId, start, command: '' }];
  });
}
