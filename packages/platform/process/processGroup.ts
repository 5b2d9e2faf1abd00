import { readdirSync, readFileSync } from 'node:fs';

/** Key of the page size in the auxiliary vector that the kernel hands to each program (AT_PAGESZ). */
const pageSizeKey = 6n;

/**
 * Reads the size in bytes of a memory page, the unit of resident memory in /proc/<pid>/stat: 4 KiB on x64, and 4, 16 or 64 KiB on arm64, depending on
 * the kernel. Reads /proc/self/auxv, pairs of 64-bit words, which needs no child process.
 */
function readPageBytes(): number {
  const bytes = readFileSync('/proc/self/auxv');
  const words = new BigUint64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % 8)));
  for (let at = 0; at + 1 < words.length; at += 2) if (words[at] === pageSizeKey) return Number(words[at + 1]);
  throw new Error('/proc/self/auxv does not state the page size');
}

/** Page size in bytes; null until the first measurement. */
let pageBytes: number | null = null;

/** Clock ticks per second in /proc/<pid>/stat: fixed at 100 for user space on Linux. */
const ticksPerSecond = 100;

/** Resources that the living members of a process group use. */
export interface GroupUse {
  members: number;
  /** Sum of the resident sets in bytes; shared memory counts for each member. */
  residentBytes: number;
  /** Processor time of the living members, in seconds. */
  cpuSeconds: number;
}

/** A meter searches for new members at each eighth measurement, and otherwise measures only the known ones. */
const measurementsPerLook = 8;

/**
 * Measures a process group through /proc. Blocks this process for about 2 to 3 ms with 150 processes on the machine, so use `createGroupMeter` for
 * repeated measurements.
 * @param group process id of the group's leader
 * @returns null if the system has no /proc
 */
export function measureGroup(group: number): GroupUse | null {
  const members = listProcesses();
  return members === null ? null : sumUse(group, members).use;
}

/** Creates a function that measures one group repeatedly. For a group with one process, most calls take 1/40 of the time of `measureGroup`. */
export function createGroupMeter(group: number): () => GroupUse | null {
  let known: readonly string[] = [];
  let measurements = 0;
  return () => {
    const asked = measurements++ % measurementsPerLook === 0 || known.length === 0 ? listProcesses() : known;
    if (asked === null) return null;
    const { use, members } = sumUse(group, asked);
    known = members;
    return use;
  };
}

function listProcesses(): string[] | null {
  try {
    const entries = readdirSync('/proc');
    return entries.includes('self') ? entries.filter((entry) => /^\d+$/.test(entry)) : null;
  } catch {
    return null;
  }
}

function sumUse(group: number, pids: readonly string[]): { use: GroupUse; members: string[] } {
  const use: GroupUse = { members: 0, residentBytes: 0, cpuSeconds: 0 };
  const members: string[] = [];
  for (const pid of pids) {
    const fields = readStat(pid);
    // A zombie has ended; only its parent has not yet read its exit status.
    if (fields === null || Number(fields[2]) !== group || fields[0] === 'Z' || fields[0] === 'X') continue;
    members.push(pid);
    use.members += 1;
    use.cpuSeconds += (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    use.residentBytes += Number(fields[21]) * (pageBytes ??= readPageBytes());
  }
  return { use, members };
}

/** Returns the fields of /proc/<pid>/stat from the third (state) on; null if the process has ended. */
function readStat(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may contain blanks and parentheses.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Sends a signal to all members of a group. A group without members is not an error. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}

/** Returns whether any member of the group is running. */
export function groupLives(group: number): boolean {
  const use = measureGroup(group);
  if (use !== null) return use.members > 0;
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
