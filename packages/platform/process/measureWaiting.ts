import { readdirSync, readFileSync } from 'node:fs';

/** Running and waiting times of a process and all its descendants, each since its start. */
export interface ProcessorTime {
  runSeconds: number;
  /** Time in which they were ready to run, but the processors ran other work. The kernel adds a wait when it ends, so a wait that lasts is missing. */
  waitSeconds: number;
  /** Whether a thread runs or is ready to run now. */
  isReady: boolean;
  /** Time of the measurement in seconds, by the kernel's clock since its start. */
  atSeconds: number;
}

const nanoseconds = 1e9;

/**
 * Sums the scheduler statistics of all threads of a process and its descendants, in any group or session. Takes about 3 ms with 150 processes on the
 * machine. The second of two measurements lacks threads and processes that ended in between.
 * @returns null if the system has no /proc with schedstat (Linux has), or the process has ended
 */
export function measureWaiting(root: number): ProcessorTime | null {
  const tree = descendants(root);
  const time: ProcessorTime = { runSeconds: 0, waitSeconds: 0, isReady: false, atSeconds: Number.parseFloat(read('/proc/uptime') ?? '0') };
  let threads = 0;
  for (const process of tree) {
    for (const thread of list(`/proc/${process}/task`)) {
      const [run, wait] = read(`/proc/${process}/task/${thread}/schedstat`)?.split(' ').map(Number) ?? [];
      if (run === undefined || wait === undefined) continue;
      threads += 1;
      time.runSeconds += run / nanoseconds;
      time.waitSeconds += wait / nanoseconds;
      time.isReady ||= statFields(`/proc/${process}/task/${thread}/stat`)[0] === 'R';
    }
  }
  return threads === 0 ? null : time;
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statFields(`/proc/${name}/stat`)[1]);
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}

/** Returns the fields from the third (state) on; the fourth is the parent's process id. Empty if the process has ended. */
function statFields(path: string): string[] {
  const text = read(path) ?? '';
  // The second field is the program's name in parentheses, which may contain blanks and parentheses.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
