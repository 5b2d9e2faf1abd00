import { writeSync } from 'node:fs';
import { register } from 'tsx/esm/api';
import { Client } from 'pg';
import { armSignal, crashMark, crashPoints, type CrashPoint } from './crashPoints.ts';

// Runs `vouch` with the words that follow, and stops it at one point of the pipeline: CRASH_POINT names it, CRASH_COUNT
// says at which time it is reached, after the signal. `stand` halts the whole process there, so that it can be killed in exactly
// that state; `hang` stops it as SIGSTOP does, until SIGCONT; `run` lets it go on and only says so.

const point = crashPoints.find(({ name }) => name === process.env['CRASH_POINT']);
let left = Number(process.env['CRASH_COUNT'] ?? '1');
let armed = false;
process.on(armSignal, () => { armed = true; });

function reach(): void {
  if (!armed || --left !== 0) return;
  writeSync(2, `${crashMark}\n`);
  if (process.env['CRASH_MODE'] === 'hang') process.kill(process.pid, 'SIGSTOP');
  if (process.env['CRASH_MODE'] === 'stand') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Connections whose open transaction holds the statement. */
const holding = new WeakSet<Client>();
const { query } = Client.prototype;

function watch({ statement, when }: CrashPoint): void {
  Client.prototype.query = function watched(this: Client, ...words: unknown[]) {
    const [first] = words;
    const sql = typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? '');
    const matches = statement.test(sql);
    if (matches && when === 'before') reach();
    const last = words.at(-1);
    // The pool gives a callback and gets no promise.
    if (matches && when === 'after' && typeof last === 'function') words[words.length - 1] = (...answer: unknown[]) => { reach(); last(...answer); };
    const result: unknown = Reflect.apply(query, this, words);
    const settled = result instanceof Promise ? result : null;
    if (matches && when === 'after') settled?.then(reach, () => undefined);
    if (when === 'committed') {
      if (matches) holding.add(this);
      if (/^(?:commit|rollback)$/i.test(sql) && holding.delete(this) && /^commit$/i.test(sql)) settled?.then(reach, () => undefined);
    }
    return result;
  } as typeof Client.prototype.query;
}

if (point !== undefined) watch(point);
register();
await import('../../../packages/vouch/main.ts');
