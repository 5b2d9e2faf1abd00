import { fileURLToPath } from 'node:url';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { armSignal, crashMark, crashPoints } from './crashPoints.ts';

const preload = fileURLToPath(new URL('./crashPreload.mjs', import.meta.url));
/** The program itself, without the process that starts it again after a crash. */
const server = fileURLToPath(new URL('./run.js', `file://${vouchProgram}`));

/** Words after `node` that run `vouch` so that it can be stopped at a point of its pipeline. */
export const crashingProgram: readonly string[] = ['--import', preload, server];

/**
 * Variables that name the point and what happens there.
 * @param name of a crash point; '' for none
 * @param count at which time it is reached, after the signal
 * @param mode `stand`: the process halts; `hang`: it stops until SIGCONT; `run`: it goes on
 * @throws Error where there is no such point
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
