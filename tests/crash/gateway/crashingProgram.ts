import { fileURLToPath } from 'node:url';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { armSignal, crashMark, crashPoints } from './crashPoints.ts';

const preload = fileURLToPath(new URL('./crashPreload.mjs', import.meta.url));
/** The program without its supervisor, which would restart the program after a crash. */
const server = fileURLToPath(new URL('./run.js', `file://${vouchProgram}`));

/** Arguments of `node` that run `vouch` with the crash-point preload. */
export const crashingProgram: readonly string[] = ['--import', preload, server];

/**
 * Returns the environment variables that configure the crash point.
 * @param name name of a crash point; '' for none
 * @param count the occurrence, counted after the arming signal, at which the program stops
 * @param mode `stand`: the process blocks; `hang`: the process stops until SIGCONT; `run`: the process continues
 * @throws Error if there is no such point
 */
export function crashEnvironment(name: string, count: number, mode: 'stand' | 'hang' | 'run'): Record<string, string> {
  if (name === '') return {};
  const point = crashPoints.find((each) => each.name === name);
  if (point === undefined) throw new Error(`There is no crash point "${name}".`);
  return {
    CRASH_STATEMENT: point.statement.source, CRASH_WHEN: point.when, CRASH_COUNT: String(count), CRASH_MODE: mode,
    CRASH_MARK: crashMark, CRASH_SIGNAL: armSignal,
  };
}
