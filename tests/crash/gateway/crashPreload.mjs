// Preloaded into `vouch` (node --import): stops the program at one point of the pipeline, described by CRASH_STATEMENT (a regular
// expression) and CRASH_WHEN; see crashPoints.ts. The signal CRASH_SIGNAL arms the point; the program stops at the CRASH_COUNT-th
// occurrence after the signal. CRASH_MODE: `stand` blocks the whole process, so that the test can kill exactly this state; `hang`
// stops the process with SIGSTOP until SIGCONT; `run` only writes CRASH_MARK.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

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

/**
 * Returns the SQL of a message to PostgreSQL: Query ('Q') contains the text, Parse ('P') a name and the text. Returns null for
 * other messages.
 */
function sqlOf(message) {
  const type = Buffer.isBuffer(message) ? message[0] : 0;
  if (type !== 0x51 && type !== 0x50) return null;
  const start = type === 0x51 ? 5 : message.indexOf(0, 5) + 1;
  return message.toString('utf8', start, message.indexOf(0, start));
}

/**
 * Reads the outcome of a statement from PostgreSQL's response: null before ReadyForQuery ('Z'), false after an ErrorResponse
 * ('E'), otherwise true.
 */
function outcomeOf(answer) {
  let failed = false;
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readUInt32BE(at + 1)) {
    if (answer[at] === 0x45) failed = true;
    if (answer[at] === 0x5a) return !failed;
  }
  return null;
}

/** Connections with an open transaction that contains the statement. */
const holding = new WeakSet();
/** Bytes read so far of the awaited response, by connection. The connection sends nothing else meanwhile. */
const awaited = new WeakMap();

function watch(socket, sql) {
  const matches = statement.test(sql);
  if (matches && CRASH_WHEN === 'before') reach();
  if (matches && CRASH_WHEN === 'after') awaited.set(socket, Buffer.alloc(0));
  if (CRASH_WHEN !== 'committed') return;
  if (matches) holding.add(socket);
  if (/^(?:commit|rollback)$/i.test(sql) && holding.delete(socket) && /^commit$/i.test(sql)) awaited.set(socket, Buffer.alloc(0));
}

if (CRASH_STATEMENT !== '') {
  process.on(CRASH_SIGNAL, () => { armed = true; });
  Socket.prototype.write = function write(chunk, ...others) {
    const sql = sqlOf(chunk);
    if (sql !== null) watch(this, sql);
    return Duplex.prototype.write.call(this, chunk, ...others);
  };
  Socket.prototype.push = function push(chunk, ...others) {
    const before = awaited.get(this);
    if (before !== undefined && chunk !== null) {
      const answer = Buffer.concat([before, chunk]);
      const succeeded = outcomeOf(answer);
      if (succeeded === null) awaited.set(this, answer);
      else awaited.delete(this);
      if (succeeded === true) reach();
    }
    return Duplex.prototype.push.call(this, chunk, ...others);
  };
}
