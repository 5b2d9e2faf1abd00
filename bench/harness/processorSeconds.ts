import { readFileSync } from 'node:fs';

/** Returns the processor seconds that a process has used, on Linux; 0 for a process that has ended. */
export function processorSeconds(processId: number): number {
  try {
    const fields = readFileSync(`/proc/${processId}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Returns the processor seconds of all child processes of this process that have ended, on Linux. */
export function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
