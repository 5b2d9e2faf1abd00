// Points of the children of a program, for pointPreload.mjs. The folder POINT_PLAN lists their points, and names the one at which a child dies, once.
import childProcess from 'node:child_process';
import callbacks from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const preload = fileURLToPath(new URL('./pointPreload.mjs', import.meta.url));
const { appendFileSync, closeSync, openSync, readFileSync, renameSync } = callbacks;
const pathChanges = ['copyFileSync', 'mkdirSync', 'mkdtempSync', 'renameSync', 'rmSync', 'unlinkSync', 'writeFileSync'];
const libavCalls = ['openOutputSync', 'writeHeaderSync', 'interleavedWriteFrameSync', 'writeTrailerSync', 'closeOutputSync'];
const duckDbPrograms = ['convertFile', 'readInteractions', 'train'];

const program = /(\w+)\.child\./.exec(process.argv[1] ?? '')?.[1] ?? 'program';

/** Returns the work with its number among the same work of all processes since the plan was written. */
function numberWork(plan, work) {
  for (let number = 1; ; number++) {
    try {
      closeSync(openSync(join(plan, `${work} ${number}`), 'wx'));
      return `${work} ${number}`;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/** Returns whether the plan lets this process die at a point. Only the first process gets this answer. */
function takeDeath(plan, point) {
  try {
    if (readFileSync(join(plan, 'kill'), 'utf8') !== point) return false;
    renameSync(join(plan, 'kill'), join(plan, 'killed'));
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Returns functions that list a point of this process, and end the process if the plan says so, and that begin to count the points of a work. */
export function openPlan(plan) {
  let work = numberWork(plan, program);
  const occurrences = new Map();
  let isListing = false;
  const reach = (what) => {
    // The calls that list a point are watched too.
    if (isListing) return;
    isListing = true;
    const occurrence = (occurrences.get(what) ?? 0) + 1;
    occurrences.set(what, occurrence);
    const point = `${occurrence} ${what} in ${work}`;
    appendFileSync(join(plan, 'list'), `${JSON.stringify(point)}\n`);
    if (takeDeath(plan, point)) process.kill(process.pid, 'SIGKILL');
    isListing = false;
  };
  const begin = (task) => {
    work = numberWork(plan, `${program} ${task}`);
    occurrences.clear();
  };
  return { reach, begin };
}

/** Gives the points to all programs of Node that this process starts from now on. */
export function passToChildren(variables) {
  const { spawn } = childProcess;
  childProcess.spawn = (command, words, options) =>
    spawn(command, words, { ...options, env: { ...options?.env ?? process.env, ...variables, NODE_OPTIONS: `--import ${preload}` } });
}

/** Messages between the child and its parent, of which a received one begins a work, and the end of the child. */
export function watchMessages({ reach, begin }) {
  const { send, emit } = process;
  const nameOf = (message) => (typeof message === 'string' ? message : message?.kind ?? message?.outcome ?? message?.call ?? 'task');
  process.send = (message, handle, options, heard) => {
    reach(`before sending ${nameOf(message)}`);
    return send.call(process, message, handle, options, (error) => {
      reach(`after sending ${nameOf(message)}`);
      heard?.(error);
    });
  };
  process.emit = function emitAt(event, ...values) {
    if (event === 'message') begin(nameOf(values[0]));
    if (event === 'message') reach('before receipt');
    if (event === 'exit') reach('before exit');
    return emit.call(this, event, ...values);
  };
}

/** Calls that block, to files and to the pipes of the parent. */
export function watchSyncFiles({ reach, placeOf, isChanging }) {
  const places = new Map([[0, 'standard input'], [1, 'standard output'], [2, 'standard error']]);
  const waiting = new Set();
  const passing = (what, work) => {
    // A full or empty pipe refuses the call, which is repeated until it succeeds.
    if (!waiting.has(what)) reach(`before ${what}`);
    waiting.add(what);
    const result = work();
    waiting.delete(what);
    reach(`after ${what}`);
    return result;
  };
  const { openSync: open, closeSync: close } = callbacks;
  callbacks.openSync = (path, flags, ...others) => {
    const place = isChanging(flags) ? placeOf(path) : null;
    if (place === null) return open(path, flags, ...others);
    const descriptor = passing(`openSync ${place}`, () => open(path, flags, ...others));
    places.set(descriptor, place);
    return descriptor;
  };
  callbacks.closeSync = (descriptor) => {
    places.delete(descriptor);
    return close(descriptor);
  };
  for (const name of ['readSync', 'writeSync']) {
    const original = callbacks[name];
    callbacks[name] = (descriptor, ...others) => {
      const place = places.get(descriptor);
      return place === undefined ? original(descriptor, ...others) : passing(`${name} ${place}`, () => original(descriptor, ...others));
    };
  }
  for (const name of pathChanges) {
    const original = callbacks[name];
    callbacks[name] = (...values) => {
      const changed = values.slice(0, 2).map(placeOf).filter((place) => place !== null);
      return changed.length === 0 ? original(...values) : passing([name, ...changed].join(' '), () => original(...values));
    };
  }
}

/** Calls of native libraries, which write files without the program. */
export async function watchLibraries(reach) {
  const watch = (methods, name, nameOf) => {
    const original = methods[name];
    methods[name] = function callAt(...values) {
      const what = nameOf(...values);
      reach(`before ${what}`);
      const result = original.apply(this, values);
      if (!(result instanceof Promise)) reach(`after ${what}`);
      return result instanceof Promise ? result.finally(() => reach(`after ${what}`)) : result;
    };
  };
  if (program === 'nodeAv') {
    const { FormatContext } = await import('node-av/lib');
    for (const name of libavCalls) watch(FormatContext.prototype, name, () => `libav ${name}`);
  }
  if (duckDbPrograms.includes(program)) {
    const { DuckDBConnection, DuckDBResult } = await import('@duckdb/node-api');
    const nameOf = (sql) => `DuckDB ${sql.replaceAll(/'[^']*'/g, '*').replaceAll(/\s+/g, ' ').trim().slice(0, 80)}`;
    for (const name of ['run', 'stream']) watch(DuckDBConnection.prototype, name, nameOf);
    watch(DuckDBResult.prototype, 'fetchChunk', () => 'DuckDB fetchChunk');
  }
}
