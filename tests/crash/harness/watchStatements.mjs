// Watches the SQL statements that a program exchanges with PostgreSQL; for files that are preloaded into the program (node --import).
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const query = 0x51;
const parse = 0x50;
const errorResponse = 0x45;
const readyForQuery = 0x5a;

/**
 * Returns the SQL of a message to PostgreSQL: Query ('Q') contains the text, Parse ('P') a name and the text. Returns null for
 * other messages and for other protocols.
 */
function sqlOf(message) {
  const type = Buffer.isBuffer(message) && message.length > 5 ? message[0] : 0;
  if ((type !== query && type !== parse) || message.readUInt32BE(1) + 1 !== message.length) return null;
  const start = type === query ? 5 : message.indexOf(0, 5) + 1;
  return message.toString('utf8', start, message.indexOf(0, start));
}

/**
 * Reads a part of PostgreSQL's answer to a statement.
 * @returns whether the answer is complete
 */
function readAnswer(answer, part) {
  const bytes = Buffer.concat([answer.rest, part]);
  let at = 0;
  for (; at + 5 <= bytes.length && at + 1 + bytes.readUInt32BE(at + 1) <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    if (bytes[at] === errorResponse) answer.succeeded = false;
    if (bytes[at] === readyForQuery) return true;
  }
  answer.rest = bytes.subarray(at);
  return false;
}

/**
 * Calls `sent` before a statement is sent, and `answered` when PostgreSQL has carried the statement out and before the program receives the answer.
 * @param {{ sent(socket: Socket, sql: string): void, answered(socket: Socket, sql: string, succeeded: boolean): void }} watcher
 */
export function watchStatements({ sent, answered }) {
  /** Answers that have not arrived completely, by connection. A connection sends no other statement meanwhile. */
  const awaited = new WeakMap();
  Socket.prototype.write = function write(chunk, ...others) {
    const sql = sqlOf(chunk);
    if (sql !== null) {
      sent(this, sql);
      awaited.set(this, { sql, succeeded: true, rest: Buffer.alloc(0) });
    }
    return Duplex.prototype.write.call(this, chunk, ...others);
  };
  Socket.prototype.push = function push(chunk, ...others) {
    const answer = awaited.get(this);
    if (answer !== undefined && chunk !== null && readAnswer(answer, chunk)) {
      awaited.delete(this);
      answered(this, answer.sql, answer.succeeded);
    }
    return Duplex.prototype.push.call(this, chunk, ...others);
  };
}
