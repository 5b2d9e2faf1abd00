import { fileURLToPath } from 'node:url';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';

/** A point of a running program: a change outside of its memory, or the moment before it. */
export interface StopAt {
  /** Matches points of the form `<before or after> <what>`; what is the SQL of a statement with single spaces, `COMMIT of <last change>`, or as in `listPoints`. */
  where: RegExp;
  /** The occurrence, counted after the arming signal, at which the program stops. */
  count: number;
  /** `kill`: SIGKILL; `stand`: the process blocks; `hang`: the process stops until SIGCONT; `run`: the process continues. */
  mode: 'kill' | 'stand' | 'hang' | 'run';
}

const preload = fileURLToPath(new URL('./pointPreload.mjs', import.meta.url));
/** The program without its supervisor, which would restart the program after a crash. */
const server = fileURLToPath(new URL('./run.js', `file://${vouchProgram}`));

/** Signal that arms the points; a signal that the program itself does not use. */
export const armSignal = 'SIGWINCH';
/** Texts that the program prints when its points are armed, and when it reaches its point. */
export const armedMark = 'POINTS ARMED';
export const reachedMark = 'POINT REACHED';

/** Arguments of `node` that run `vouch` with points. */
export const pointProgram: readonly string[] = ['--import', preload, server];
/** Arguments that also arm the points from the start. */
export const armedProgram: readonly string[] = ['--import', preload, '--import', `data:text/javascript,process.emit(${JSON.stringify(armSignal)})`, server];

/**
 * Returns the environment variables that configure the points.
 * @param list file to which each point is appended with the number of its occurrence, as a JSON string per line
 */
export function pointEnvironment({ stop, list }: { stop?: StopAt | null; list?: string }): Record<string, string> {
  const none = { POINT_SIGNAL: armSignal, POINT_ARMED: armedMark, POINT_LIST: list ?? '' };
  if (stop === undefined || stop === null) return none;
  return { ...none, POINT_WHERE: stop.where.source, POINT_COUNT: String(stop.count), POINT_MODE: stop.mode, POINT_REACHED: reachedMark };
}

/** Returns the expression and the number of a line of a list of points. */
export function parsePoint(line: string): Pick<StopAt, 'where' | 'count'> {
  const [count = '', ...what] = line.split(' ');
  return { count: Number(count), where: new RegExp(`^${what.join(' ').replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`) };
}
