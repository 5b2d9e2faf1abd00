import { AsyncLocalStorage } from 'node:async_hooks';

type Hear = (error: unknown) => void;

/** Whose callbacks run. Node keeps the context over timers, sockets, child processes and promises. */
const owners = new AsyncLocalStorage<Hear>();

/**
 * Runs work that owns the errors which nobody catches in the callbacks that it starts, of timers, sockets, child processes and
 * promises: `hear` gets them, and the process goes on. Takes effect where `containUncaught` was called for the process.
 */
export function ownUncaught<Result>(hear: Hear, work: () => Result): Result {
  return owners.run(hear, work);
}

/** Runs work whose callbacks nobody owns: e.g. the opening of a connection that outlives the one who needed it first. */
export function disownUncaught<Result>(work: () => Result): Result {
  return owners.exit(work);
}

let crashing = false;

/** Whether this process ends because of an error that nobody owns. */
export function isCrashing(): boolean {
  return crashing;
}

/**
 * Gives each uncaught error and unhandled rejection of this process to its owner; `crash` gets those that have none.
 * An error in a callback given to `queueMicrotask` has no owner on Node 20, which drops the context there.
 */
export function containUncaught(crash: (error: unknown) => void): void {
  // Without a listener of their own, unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    const hear = owners.getStore();
    if (hear !== undefined) return hear(error);
    crashing = true;
    crash(error);
  });
}
