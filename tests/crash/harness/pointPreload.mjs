// Preloaded into `vouch` (node --import): numbers everything by which the program changes the world outside of its memory, which are SQL statements,
// changes of files, HTTP requests and answers, and child processes, and stops the program at one of these points. Between two points, a death changes
// nothing. See pointProgram.ts for the variables. A point is `<before or after> <what>`, with the number of its occurrence. The children of a program with a
// plan get this file too; see childPoints.mjs.
import callbacks, { constants } from 'node:fs';
import files from 'node:fs/promises';
import http from 'node:http';
import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { openPlan, passToChildren, watchLibraries, watchMessages, watchSyncFiles } from './childPoints.mjs';
import { watchPower } from './powerLoss.mjs';
import { watchStatements } from './watchStatements.mjs';

const {
  POINT_ARMED = '', POINT_CHILD = '', POINT_COUNT = '1', POINT_DISK = '', POINT_LIST = '', POINT_MODE = '', POINT_PLAN = '', POINT_REACHED = '', POINT_SIGNAL = '',
  POINT_WHERE = '', VOUCH_DATA = '',
} = process.env;
// The original functions: named imports become the watched ones.
const { appendFileSync, writeSync } = callbacks;
const where = POINT_WHERE === '' ? null : new RegExp(POINT_WHERE);
/** Calls with paths, calls of an open file, and calls with the number of an open file, which streams use. */
const changes = ['chmod', 'copyFile', 'link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir', 'symlink', 'truncate', 'unlink', 'utimes', 'writeFile'];
const handleChanges = ['sync', 'truncate', 'write', 'writeFile'];
const descriptorChanges = ['write', 'writev', 'fsync'];
const childEvents = ['spawn', 'exit'];
let armed = false;
let power = null;
let passed = 0;
const occurrences = new Map();

/** In a child, the plan of its points; null in the program itself. */
const plan = POINT_CHILD !== '' && isMainThread ? openPlan(POINT_PLAN) : null;

function reach(what) {
  if (plan !== null) return plan.reach(what);
  if (!armed) return;
  if (POINT_LIST !== '') {
    const occurrence = (occurrences.get(what) ?? 0) + 1;
    occurrences.set(what, occurrence);
    appendFileSync(POINT_LIST, `${JSON.stringify(`${occurrence} ${what}`)}\n`);
  }
  if (where?.test(what) === true && ++passed === Number(POINT_COUNT)) stop();
}

function stop() {
  writeSync(2, `${POINT_REACHED}\n`);
  if (power !== null) power.lose({ names: POINT_MODE === 'powerKeepsNames' });
  if (POINT_MODE === 'kill' || power !== null) process.kill(process.pid, 'SIGKILL');
  if (POINT_MODE === 'hang') process.kill(process.pid, 'SIGSTOP');
  if (POINT_MODE === 'stand') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Returns a path in the data folder without the parts that differ between two runs, and null for other paths. */
function placeOf(path) {
  if (typeof path !== 'string' || !path.startsWith(VOUCH_DATA)) return null;
  const parts = path.slice(VOUCH_DATA.length + 1).split('/');
  return parts.map((part) => (/^[a-z][a-z.]{2,}$/.test(part) ? part : (/^[a-z]+[.-]/.exec(part)?.[0] ?? '') + '*')).join('/');
}

/** Returns whether a file that is opened with these flags may be created or changed. */
function isChanging(flags) {
  return typeof flags === 'number' ? (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0 : /[wa+]/.test(flags ?? '');
}

async function passing(what, work) {
  reach(`before ${what}`);
  try {
    const result = await work();
    reach(`after ${what}`);
    return result;
  } catch (error) {
    // A blob has one name for one content, so a later operation may find the file of an earlier one.
    if (error.code === 'EEXIST' && what.startsWith('link ')) reach(`after ${what}`);
    throw error;
  }
}

function watchFiles() {
  for (const name of changes) {
    const original = files[name];
    files[name] = (...values) => {
      const places = values.slice(0, 2).map(placeOf).filter((place) => place !== null);
      if (places.length === 0) return original(...values);
      return passing([name, ...places].join(' '), async () => {
        const result = await original(...values);
        if (name === 'writeFile' && values[2]?.flush === true) power?.written(values[0]);
        return result;
      });
    };
  }
  const { open } = files;
  files.open = async (path, flags, ...others) => {
    const place = placeOf(path);
    const changing = place !== null && isChanging(flags);
    const handle = await (changing ? passing(`open ${place}`, () => open(path, flags, ...others)) : open(path, flags, ...others));
    if (place === null) {
      // No point, but the folder that holds the data folder keeps its name.
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        await sync();
        if (path === dirname(VOUCH_DATA)) power?.synced(handle.fd, path);
      };
      return handle;
    }
    if (changing) power?.opened(handle.fd);
    for (const name of handleChanges) {
      const change = handle[name].bind(handle);
      handle[name] = (...values) => passing(`${name} ${place}`, async () => {
        const result = await change(...values);
        if (name === 'sync') power?.synced(handle.fd, path);
        return result;
      });
    }
    return handle;
  };
}

function watchStreams() {
  const places = new Map();
  const { open, close } = callbacks;
  callbacks.open = (path, flags, ...others) => {
    const place = isChanging(flags) ? placeOf(path) : null;
    if (place === null) return open(path, flags, ...others);
    const heard = others.pop();
    reach(`before open ${place}`);
    return open(path, flags, ...others, (error, descriptor) => {
      if (error === null) {
        places.set(descriptor, place);
        power?.opened(descriptor);
      }
      reach(`after open ${place}`);
      heard(error, descriptor);
    });
  };
  callbacks.close = (descriptor, ...others) => {
    places.delete(descriptor);
    return close(descriptor, ...others);
  };
  for (const name of descriptorChanges) {
    const change = callbacks[name];
    callbacks[name] = (descriptor, ...others) => {
      if (!places.has(descriptor)) return change(descriptor, ...others);
      const what = `${name} ${places.get(descriptor)}`;
      const heard = others.pop();
      reach(`before ${what}`);
      return change(descriptor, ...others, (...results) => {
        if (name === 'fsync' && results[0] === null) power?.synced(descriptor, null);
        reach(`after ${what}`);
        heard(...results);
      });
    };
  }
}

function watchChildren() {
  const { emit } = ChildProcess.prototype;
  /** The program without its folder. */
  const nameOf = ({ spawnargs }) => /([\w.]+)\.js$/.exec(spawnargs.find((word) => word.endsWith('.js')) ?? '')?.[1] ?? spawnargs[0];
  ChildProcess.prototype.emit = function emitAt(event, ...values) {
    if (childEvents.includes(event)) reach(`after ${event} of ${nameOf(this)}`);
    return emit.call(this, event, ...values);
  };
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

/** Answers to requests that can change something; other answers are left out, because tests poll. */
function watchAnswers() {
  const { end } = http.ServerResponse.prototype;
  http.ServerResponse.prototype.end = function endAt(...values) {
    const { method, url } = this.req;
    if (method === 'GET' || method === 'HEAD') return end.apply(this, values);
    const name = `answer to ${method} ${url.replaceAll(/[0-9a-f-]{16,}/g, '*')}`;
    reach(`before ${name}`);
    this.once('finish', () => reach(`after ${name}`));
    return end.apply(this, values);
  };
}

if (POINT_SIGNAL !== '') {
  process.on(POINT_SIGNAL, () => {
    armed = true;
    if (POINT_MODE.startsWith('power')) power = watchPower(POINT_DISK, `${POINT_DISK}.synced`);
    writeSync(2, `${POINT_ARMED}\n`);
  });
  /** Names of the statements that are under way, and of the last change of each connection's transaction, which tells one COMMIT from another. */
  const underWay = new WeakMap();
  const changed = new WeakMap();
  watchStatements({
    sent(socket, sql) {
      const name = /^(?:COMMIT|ROLLBACK)$/.test(sql) ? `${sql} of ${changed.get(socket)}` : sql.replaceAll(/\s+/g, ' ').trim();
      if (!/^SELECT\b/i.test(name) || /^SELECT\b|^BEGIN\b/i.test(changed.get(socket) ?? 'BEGIN')) changed.set(socket, name);
      underWay.set(socket, name);
      reach(`before ${name}`);
    },
    answered(socket, sql, succeeded) {
      if (succeeded) reach(`after ${underWay.get(socket)}`);
    },
  });
  watchFiles();
  watchStreams();
  syncBuiltinESMExports();
  watchRequests();
  watchAnswers();
  watchChildren();
}

if (plan !== null) {
  watchFiles();
  watchStreams();
  watchSyncFiles({ reach, placeOf, isChanging });
  watchChildren();
  watchMessages(plan);
  await watchLibraries(reach);
  reach('before start');
}
if (POINT_PLAN !== '' && isMainThread) {
  passToChildren({ POINT_CHILD: 'yes', POINT_PLAN, VOUCH_DATA });
  syncBuiltinESMExports();
}
