import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemInterfaces } from '../../packages/platform/process/systemInterfaces.ts';
import { measureWaiting } from '../../packages/platform/process/measureWaiting.ts';
import { startChild, type Child } from '../../packages/platform/process/childProcess.ts';
import { median } from '../harness/interleave.ts';
import { reportTable } from '../harness/reportTable.ts';

/**
 * Measures the share of one processor that a training gets beside four busy loops, by its niceness. Two processors with eight loops have the same
 * shares. The training is one loop, started in the same way as trainings; trainings with many interactions use several threads and get more.
 */

const loops = 4;
const rounds = 3;
const measuredMs = 4_000;
const loop = 'while :; do :; done';

/** How the busy loops are grouped, because the scheduler divides between groups first. */
const situations = {
  /** No groups: the loops and the training compete by their niceness alone, as inside a container or a systemd unit. */
  together: 'one cgroup (container, systemd unit)',
  /** All loops share one session. */
  session: 'the loops in one other session',
  /** The usual case of several services that are started on their own. */
  sessions: 'each loop in a session of its own',
} as const;
type Situation = keyof typeof situations;

function start(script: string, niceness: number): Child {
  const child = startChild({ command: 'taskset', args: ['-c', oneProcessor(), 'sh', '-c', script], niceness }, systemInterfaces.timers);
  child.done.catch(() => undefined);
  return child;
}

function oneProcessor(): string {
  return /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
}

/** Returns the training's share of the processor time that it and the loops get together. */
async function measureShare(situation: Situation, niceness: number): Promise<number> {
  const many = Array.from({ length: loops }, () => `(${loop}) &`).join(' ');
  // At 19, trainings also get this policy.
  const idle = niceness === 19 ? 'chrt -i 0' : '';
  const all = `${many} exec ${idle} nice -n ${niceness} sh -c '${loop}'`;
  const children = situation === 'together' ? [start(all, 0)]
    : situation === 'session' ? [start(loop, niceness), start(`${many} wait`, 0)]
      : [start(loop, niceness), ...Array.from({ length: loops }, () => start(loop, 0))];
  try {
    await sleep(1_500);
    const before = children.map(times);
    await sleep(measuredMs);
    const ran = children.map((child, index) => {
      const [whole, own] = times(child);
      return [whole - (before[index]?.[0] ?? 0), own - (before[index]?.[1] ?? 0)] as const;
    });
    const whole = ran.reduce((sum, [seconds]) => sum + seconds, 0);
    // The training replaced the shell that started the loops, so its own time is that of the process itself.
    const training = situation === 'together' ? ran[0]?.[1] : ran[0]?.[0];
    return (training ?? 0) / whole;
  } finally {
    for (const child of children) child.stop({ kind: 'cancelled' });
    await Promise.all(children.map(({ done }) => done.catch(() => undefined)));
  }
}

/** Seconds of a process with its descendants, and of the process alone. */
function times({ pid }: Child): [whole: number, own: number] {
  const whole = measureWaiting(pid ?? 0)?.runSeconds ?? 0;
  const [own] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number);
  return [whole, (own ?? 0) / 1e9];
}

async function main(): Promise<void> {
  const rows: string[][] = [];
  for (const situation of Object.keys(situations) as Situation[]) {
    for (const niceness of [0, 5, 10, 19]) {
      const shares: number[] = [];
      for (let round = 0; round < rounds; round++) shares.push(await measureShare(situation, niceness));
      const share = median(shares);
      rows.push([
        situations[situation], String(niceness), `${(100 * share).toFixed(1)} % (${shares.map((each) => (100 * each).toFixed(1)).join(', ')})`,
        `${(1 / share).toFixed(1)}`,
      ]);
      console.error(rows.at(-1)?.join(' | '));
    }
  }
  await reportTable({
    name: 'niceness',
    title: 'The share of a processor that a training gets on a busy machine',
    command: 'node --import tsx bench/recommender/niceness.ts',
    data: `${loops} busy loops and one loop with the niceness of a training on one processor, ${measuredMs / 1_000} s, ${rounds} times`,
    columns: ['the loops are in', 'VOUCH_TRAIN_NICENESS', 'share (each time)', 'times as long as alone'],
    rows,
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
