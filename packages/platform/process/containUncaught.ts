import { AsyncLocalStorage } from 'node:async_hooks';

type Hear = (error: unknown) => void;

/** The owner of the running callback's errors. Node keeps this context across timers, sockets, child processes and promises. */
const owners = new AsyncLocalStorage<Hear>();

/**
 * Runs work that owns the uncaught errors of the callbacks that it starts (timers, sockets, child processes, promises). `hear` gets these errors and
 * the process continues. Has an effect only if `containUncaught` was called in this process.
 */
export function ownUncaught<Result>(hear: Hear, work: () => Result): Result {
  return owners.run(hear, work);
}

/** Runs work whose callbacks have no owner, e.g. opening a connection that outlives the work that first needed it. */
export function disownUncaught<Result>(work: () => Result): Result {
  return owners.exit(work);
}

let crashing = false;

/** Returns whether this process is ending because of an uncaught error without an owner. */
export function isCrashing(): boolean {
  return crashing;
}

/**
 * Passes each uncaught error and unhandled rejection of this process to its owner, or to `crash` if it has none. On Node 20, an error in a callback
 * of `queueMicrotask` has no owner, because Node loses the context there.
 */
export function containUncaught(crash: (error: unknown) => void): void {
  // Without an `unhandledRejection` listener, unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    const hear = owners.getStore();
    if (hear !== undefined) return hear(error);
    crashing = true;
    crash(error);
  });
}
