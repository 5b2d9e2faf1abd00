import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** One process; its start tells it from a later one with the same number. */
export interface ProcessMark {
  processId: number;
  /** Clock ticks after the start of the machine. */
  start: string;
  command: string;
}

/** Killed processes are gone within milliseconds; a PostgreSQL that is stopped writes a checkpoint first. */
const goneTimeoutMs = 30_000;

/** A process with all its descendants, through /proc: also those in process groups and sessions of their own. */
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

/** The first process of a tree whose command line has some text. @throws Error naming those there are */
export function findProcess(tree: readonly ProcessMark[], text: string): ProcessMark {
  const found = tree.find(({ command }) => command.includes(text));
  if (found !== undefined) return found;
  throw new Error(`no process has ${text} in its command line:\n${tree.map(({ command }) => command).join('\n')}`);
}

/** The server of a `vouch serve`, which runs as the child of the one that starts it again after a crash. */
export function findServer(service: number): number {
  return findProcess(processTree(service), '/dist/run.js').processId;
}

/** The process whose command line ends with a training's program, as opposed to the shell that guards it. */
export function findTraining(service: number): ProcessMark | undefined {
  return processTree(service).find(({ command }) => command.startsWith(process.execPath) && command.includes('train.child'));
}

/**
 * The server process of a service's embedded PostgreSQL with its own children. Not always a descendant: a service that starts soon
 * after a kill attaches to the PostgreSQL that the keeper of the one before it has started again.
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

/** SIGKILL to each, wherever it lives. */
export function killAll(marks: readonly ProcessMark[]): void {
  for (const { processId } of marks) {
    try {
      process.kill(processId, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Waits until none of the processes lives. @throws Error naming those that do after 30 s */
export async function untilGone(marks: readonly ProcessMark[]): Promise<void> {
  let living = marks;
  for (let waited = 0; waited < goneTimeoutMs; waited += 20) {
    living = living.filter(isAlive);
    if (living.length === 0) return;
    await sleep(20);
  }
  throw new Error(`still there after ${goneTimeoutMs / 1000} s:\n${living.map(({ command }) => command).join('\n')}`);
}

/** Where nobody collects orphans, a killed process stays listed as a zombie; it has ended all the same. */
function isAlive({ processId, start }: ProcessMark): boolean {
  const fields = statFields(processId);
  return fields !== null && fields[19] === start && fields[0] !== 'Z' && fields[0] !== 'X';
}

function processIds(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Fields of /proc/<pid>/stat from the third (state) on, null where the process is gone. */
function statFields(processId: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
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
