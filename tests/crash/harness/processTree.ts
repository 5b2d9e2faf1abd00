import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process; the start time distinguishes the process from a later one with the same id. */
export interface ProcessMark {
  processId: number;
  /** Start time, in clock ticks after the boot of the machine. */
  start: string;
  command: string;
}

/**
 * Only ends a test whose processes never end. Killed processes end within milliseconds, but a stopped PostgreSQL writes a checkpoint
 * first, which takes long on a busy machine.
 */
const goneTimeoutMs = 240_000;

/** Returns a process and all its descendants from /proc, including descendants in other process groups and sessions. */
export function processTree(root: number): ProcessMark[] {
  const children = new Map<number, number[]>();
  for (const processId of processIds()) {
    const parent = Number(statFields(processId)?.[1]);
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), processId]);
  }
  const found: ProcessMark[] = [];
  const open = [root];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const fields = statFields(next);
    if (fields === null) continue;
    found.push({ processId: next, start: fields[19] ?? '', command: commandLine(next) });
    open.push(...(children.get(next) ?? []));
  }
  return found;
}

/**
 * Returns the first process of a tree whose command line contains a text.
 * @throws Error that lists the processes of the tree
 */
export function findProcess(tree: readonly ProcessMark[], text: string): ProcessMark {
  const found = tree.find(({ command }) => command.includes(text));
  if (found !== undefined) return found;
  throw new Error(`no process has ${text} in its command line:\n${tree.map(({ command }) => command).join('\n')}`);
}

/** Returns the server process of a `vouch serve`, which is a child of the supervisor process. */
export function findServer(service: number): number {
  return findProcess(processTree(service), '/dist/run.js').processId;
}

/** Returns the process that runs a training's program, not the shell that guards this process. */
export function findTraining(service: number): ProcessMark | undefined {
  return processTree(service).find(({ command }) => command.startsWith(process.execPath) && command.includes('train.child'));
}

/** Returns the process of a service that reads and writes videos, or undefined. */
export function findEngine(service: number): ProcessMark | undefined {
  return processTree(service).find(({ command }) => command.startsWith(process.execPath) && command.includes('engine.child'));
}

/**
 * Returns the server process of a service's embedded PostgreSQL, and its children. The process is not always a descendant of the
 * service: a service that starts soon after a kill connects to the PostgreSQL that the previous service's keeper has restarted.
 */
export function findPostgres(service: number): ProcessMark[] {
  const folder = /(?:^|\0)VOUCH_DATA=([^\0]*)/.exec(readFileSync(`/proc/${service}/environ`, 'latin1'))?.[1];
  const server = processIds().find((processId) => isPostgresIn(commandLine(processId), `${folder}/`));
  if (server === undefined) throw new Error(`no PostgreSQL serves ${folder}`);
  return processTree(server);
}

function isPostgresIn(command: string, folder: string): boolean {
  const [program = '', option, path = ''] = command.split(' ');
  return program.endsWith('bin/postgres') && option === '-D' && path.startsWith(folder);
}

/** Returns the living processes whose working directory is a folder. A child has the directory of the program that started it, also when that has died. */
export function processesIn(folder: string): ProcessMark[] {
  return processIds().filter((processId) => workingFolder(processId) === folder).flatMap((processId) => {
    const start = statFields(processId)?.[19];
    return start === undefined ? [] : [{ processId, start, command: commandLine(processId) }];
  }).filter(isAlive);
}

/** Sends SIGKILL to each process that has not ended yet. */
export function killAll(marks: readonly Pick<ProcessMark, 'processId'>[]): void {
  for (const { processId } of marks) {
    try {
      process.kill(processId, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Waits until all processes have ended.
 * @throws Error that lists the processes still alive after 240 s, each with its id, its state as in `ps`, and the id of its parent
 */
export async function untilGone(marks: readonly ProcessMark[]): Promise<void> {
  const deadline = AbortSignal.timeout(goneTimeoutMs);
  for (let living = marks.filter(isAlive); living.length > 0; living = living.filter(isAlive)) {
    if (deadline.aborted) throw new Error(`still there after ${goneTimeoutMs / 1000} s:\n${living.map(describe).join('\n')}`);
    await sleep(20);
  }
}

function describe({ processId, command }: ProcessMark): string {
  const [state = '?', parent = '?'] = statFields(processId) ?? [];
  return `${processId} (state ${state}, parent ${parent}): ${command}`;
}

/** Whether a process is alive. A killed process stays listed as a zombie if no parent reaps it; a zombie counts as ended. */
function isAlive({ processId, start }: ProcessMark): boolean {
  const fields = statFields(processId);
  return fields !== null && fields[19] === start && fields[0] !== 'Z' && fields[0] !== 'X';
}

/** Returns the ids of all processes. */
export function processIds(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Returns the fields of /proc/<pid>/stat from the third (state) on; null if the process does not exist. */
export function statFields(processId: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function workingFolder(processId: number): string | null {
  try {
    return readlinkSync(`/proc/${processId}/cwd`);
  } catch {
    return null;
  }
}

function commandLine(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
