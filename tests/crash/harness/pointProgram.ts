import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';

/** A point of a running program: a change outside of its memory, or the moment before it. */
export interface StopAt {
  /** Matches points of the form `<before or after> <what>`; what is the SQL of a statement with single spaces, `COMMIT of <last change>`, or as in `listPoints`. */
  where: RegExp;
  /** The occurrence, counted after the arming signal, at which the program stops. */
  count: number;
  /**
   * `kill`: SIGKILL; `power`: the folder `disk` loses what was not synced since the points were armed, then SIGKILL; `powerKeepsNames`: it loses the content
   * of files that was not synced, and keeps the entries of folders; `stand`: the process blocks; `hang`: the process stops until SIGCONT; `run`: the process continues.
   */
  mode: 'kill' | 'power' | 'powerKeepsNames' | 'stand' | 'hang' | 'run';
}

const preload = fileURLToPath(new URL('./pointPreload.mjs', import.meta.url));

/** Signal that arms the points; a signal that the program itself does not use. */
export const armSignal = 'SIGWINCH';
/** Texts that the program prints when its points are armed, and when it reaches its point. */
export const armedMark = 'POINTS ARMED';
export const reachedMark = 'POINT REACHED';

/**
 * Returns arguments of `node` that run `vouch` with points, without its supervisor, which would restart it after a crash.
 * @param program the program of another build
 */
export function pointProgram(program = vouchProgram): readonly string[] {
  return ['--import', preload, join(dirname(program), 'run.js')];
}

/** Returns arguments that also arm the points from the start. */
export function armedProgram(program = vouchProgram): readonly string[] {
  return ['--import', preload, '--import', `data:text/javascript,process.emit(${JSON.stringify(armSignal)})`, join(dirname(program), 'run.js')];
}

/**
 * Returns the environment variables that configure the points.
 * @param disk folder that loses what was not synced, in the modes `power…`
 * @param list file to which each point is appended with the number of its occurrence, as a JSON string per line
 * @param plan folder of a `ChildPlan`
 */
export function pointEnvironment({ stop, list, plan, disk = '' }: { stop?: StopAt | null; list?: string; plan?: string; disk?: string }): Record<string, string> {
  const none = { POINT_SIGNAL: armSignal, POINT_ARMED: armedMark, POINT_LIST: list ?? '', POINT_PLAN: plan ?? '' };
  if (stop === undefined || stop === null) return none;
  return { ...none, POINT_DISK: disk, POINT_WHERE: stop.where.source, POINT_COUNT: String(stop.count), POINT_MODE: stop.mode, POINT_REACHED: reachedMark };
}

/** Reads a list of points. */
export async function readPoints(list: string): Promise<string[]> {
  return (await readFile(list, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as string);
}

/** Returns the expression and the number of a line of a list of points. */
export function parsePoint(line: string): Pick<StopAt, 'where' | 'count'> {
  const [count = '', ...what] = line.split(' ');
  return { count: Number(count), where: new RegExp(`^${what.join(' ').replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`) };
}
