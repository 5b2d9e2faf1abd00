/**
 * Operations of the file system, which code under test may await (`CloseReq` closes a file), and calls that wait for the next turn of the event loop.
 * Sockets of the database are awaited by the simulated database itself.
 */
const pending = /^(?:FSReq|CloseReq|Microtask|Immediate)/;

/**
 * Resolves when all code waits: no promise can continue, and no operation of the file system is under way. Such operations run one at a time, because
 * the simulation's program starts with `UV_THREADPOOL_SIZE=1`; otherwise their order would differ between two runs.
 */
export async function untilIdle(): Promise<void> {
  do await new Promise<void>((resolve) => { setImmediate(resolve); });
  while (process.getActiveResourcesInfo().some((name) => pending.test(name)));
}
