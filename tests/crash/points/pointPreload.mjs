// Preloaded into `vouch` (node --import): numbers everything by which the program changes the world outside of its memory, which are SQL statements,
// changes of files, and HTTP requests, and ends the program with SIGKILL at one of these points. Between two points, a death changes nothing.
// POINT_SIGNAL arms the points. POINT_LIST is a file to which each point is appended; POINT_KILL is the point at which the program dies. A point
// is `<occurrence> <before or after> <what>`.
import { appendFileSync } from 'node:fs';
import files from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { watchStatements } from '../harness/watchStatements.mjs';

const { POINT_LIST = '', POINT_KILL = '', POINT_SIGNAL = '', VOUCH_DATA = '' } = process.env;
const changes = ['chmod', 'copyFile', 'link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir', 'symlink', 'truncate', 'unlink', 'utimes', 'writeFile'];
let armed = false;
const occurrences = new Map();

function reach(what) {
  if (!armed) return;
  const occurrence = (occurrences.get(what) ?? 0) + 1;
  occurrences.set(what, occurrence);
  const point = `${occurrence} ${what}`;
  if (POINT_LIST !== '') appendFileSync(POINT_LIST, `${JSON.stringify(point)}\n`);
  if (point === POINT_KILL) process.kill(process.pid, 'SIGKILL');
}

/** Returns a path in the data folder without the parts that differ between two runs, and null for other paths. */
function placeOf(path) {
  if (typeof path !== 'string' || !path.startsWith(VOUCH_DATA)) return null;
  const parts = path.slice(VOUCH_DATA.length + 1).split('/');
  return parts.map((part) => (/^[a-z][a-z.]{2,}$/.test(part) ? part : (/^[a-z]+[.-]/.exec(part)?.[0] ?? '') + '*')).join('/');
}

async function passing(what, work) {
  reach(`before ${what}`);
  const result = await work();
  reach(`after ${what}`);
  return result;
}

function watchFiles() {
  for (const name of changes) {
    const original = files[name];
    files[name] = (...values) => {
      const places = values.slice(0, 2).map(placeOf).filter((place) => place !== null);
      return places.length === 0 ? original(...values) : passing([name, ...places].join(' '), () => original(...values));
    };
  }
  const { open } = files;
  files.open = async (path, ...others) => {
    const handle = await open(path, ...others);
    const place = placeOf(path);
    if (place === null) return handle;
    const sync = handle.sync.bind(handle);
    handle.sync = () => passing(`sync ${place}`, sync);
    return handle;
  };
  syncBuiltinESMExports();
}

function watchRequests() {
  const { end, emit } = http.ClientRequest.prototype;
  const names = new WeakMap();
  http.ClientRequest.prototype.end = function endAt(body, ...others) {
    const method = /"method":"(\w+)"/.exec(String(body ?? ''))?.[1];
    const name = `request ${this.method} ${method ?? this.path.replaceAll(/[0-9a-f-]{16,}/g, '*')}`;
    names.set(this, name);
    reach(`before ${name}`);
    return end.call(this, body, ...others);
  };
  http.ClientRequest.prototype.emit = function emitAt(event, ...others) {
    if (event === 'response') reach(`after ${names.get(this)}`);
    return emit.call(this, event, ...others);
  };
}

if (POINT_SIGNAL !== '') {
  process.on(POINT_SIGNAL, () => { armed = true; });
  /** The last statement of a connection, which tells one BEGIN or COMMIT from another. */
  const last = new WeakMap();
  const nameOf = (socket, sql) => (/^(?:COMMIT|ROLLBACK)$/.test(sql) ? `${sql} of ${last.get(socket)}` : sql.replaceAll(/\s+/g, ' ').trim());
  watchStatements({
    sent(socket, sql) {
      const name = nameOf(socket, sql);
      last.set(socket, name);
      reach(`before ${name}`);
    },
    answered(socket, sql, succeeded) {
      if (succeeded) reach(`after ${last.get(socket)}`);
    },
  });
  watchFiles();
  watchRequests();
}
