import { readdirSync, readFileSync } from 'node:fs';

/** Time of a process and all its descendants since their starts. */
export interface ProcessorTime {
  runSeconds: number;
  /** Ready to run, while the processors ran something else. */
  waitSeconds: number;
}

const nanoseconds = 1e9;

/**
 * Sums what the kernel's scheduler says of every thread of a process and its descendants, whatever group or session they are in.
 * Takes about 3 ms for 150 processes on the machine. Threads and processes that ended between two calls are missing in the second.
 * @returns null where the system has no /proc with schedstat (Linux has), or the process is gone
 */
export function measureWaiting(root: number): ProcessorTime | null {
  const tree = descendants(root);
  const time: ProcessorTime = { runSeconds: 0, waitSeconds: 0 };
  let threads = 0;
  for (const process of tree) {
    for (const thread of list(`/proc/${process}/task`)) {
      const [run, wait] = read(`/proc/${process}/task/${thread}/schedstat`)?.split(' ').map(Number) ?? [];
      if (run === undefined || wait === undefined) continue;
      threads += 1;
      time.runSeconds += run / nanoseconds;
      time.waitSeconds += wait / nanoseconds;
    }
  }
  return threads === 0 ? null : time;
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = read(`/proc/${name}/stat`);
    // The second field is the program's name in brackets and may itself hold blanks and brackets; the parent is the fourth.
    const parent = Number(text?.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
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
