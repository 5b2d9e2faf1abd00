// Preloaded into `vouch` (node --import): stops the program at one point of the pipeline, described by CRASH_STATEMENT (a regular
// expression) and CRASH_WHEN; see crashPoints.ts. The signal CRASH_SIGNAL arms the point; the program stops at the CRASH_COUNT-th
// occurrence after the signal. CRASH_MODE: `stand` blocks the whole process, so that the test can kill exactly this state; `hang`
// stops the process with SIGSTOP until SIGCONT; `run` only writes CRASH_MARK.
import { writeSync } from 'node:fs';
import { watchStatements } from '../harness/watchStatements.mjs';

const { CRASH_STATEMENT = '', CRASH_WHEN = '', CRASH_COUNT = '1', CRASH_MODE = 'run', CRASH_MARK = '', CRASH_SIGNAL = '' } = process.env;
const statement = new RegExp(CRASH_STATEMENT, 'i');
let left = Number(CRASH_COUNT);
let armed = false;

function reach() {
  if (!armed || --left !== 0) return;
  writeSync(2, `${CRASH_MARK}\n`);
  if (CRASH_MODE === 'hang') process.kill(process.pid, 'SIGSTOP');
  if (CRASH_MODE === 'stand') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Connections with an open transaction that contains the statement, and connections that commit this transaction. */
const holding = new WeakSet();
const committing = new WeakSet();

if (CRASH_STATEMENT !== '') {
  process.on(CRASH_SIGNAL, () => { armed = true; });
  watchStatements({
    sent(socket, sql) {
      const matches = statement.test(sql);
      if (matches && CRASH_WHEN === 'before') reach();
      if (CRASH_WHEN !== 'committed') return;
      if (matches) holding.add(socket);
      if (/^(?:commit|rollback)$/i.test(sql) && holding.delete(socket) && /^commit$/i.test(sql)) committing.add(socket);
    },
    answered(socket, sql, succeeded) {
      const reached = CRASH_WHEN === 'after' ? statement.test(sql) : committing.delete(socket);
      if (reached && succeeded) reach();
    },
  });
}
