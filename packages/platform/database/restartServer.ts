import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../log/logger.ts';
import { isLocked } from '../process/fileLock.ts';
import type { Timers } from '../process/systemInterfaces.ts';
import { DatabaseFault } from './databaseFault.ts';

/** Shortest and longest time between two looks, in milliseconds. The time doubles with each start that fails. */
const [leastMs, mostMs] = [5_000, 60_000];

export interface WatchedServer {
  /** Folder of the server, with its lock files. */
  folder: string;
  /** Folder of its socket, which the keeper removes when it ends. */
  sockets: string;
  log: Logger;
  timers: Timers;
  /** Starts the server, or attaches to one that another process has started meanwhile. */
  start(): Promise<unknown>;
}

/**
 * Starts a server again whose keeper has ended while this process uses the server: the keeper gives up after five starts that fail in a row, such as on a
 * full disk, and can be killed.
 * @returns a function that ends the watch, after a start that is in progress
 */
export function restartServer({ folder, sockets, log, timers, start }: WatchedServer): () => Promise<void> {
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    for (let ms = leastMs; ; ) {
      await timers.sleep(ms, stopping.signal, false);
      if (stopping.signal.aborted) return;
      // The first look costs no process, and the second one knows of a keeper that is about to start the server again.
      if (await exists(join(sockets, '.s.PGSQL.5432')) || await isLocked(join(folder, 'keeper.lock'))) continue;
      ms = await restart(folder, start).then(() => leastMs, (error: unknown) => {
        log.error({ reason: error instanceof Error ? error.message : String(error) }, 'PostgreSQL ended and could not be started again; retrying');
        return Math.min(2 * ms, mostMs);
      });
    }
  };
  const watching = watch().catch((error: unknown) => log.error({ err: error }, 'the watch of PostgreSQL ended'));
  return async () => {
    stopping.abort();
    await watching;
  };
}

/** A start without data would make an empty database, in which the tables of this process are missing. */
async function restart(folder: string, start: () => Promise<unknown>): Promise<void> {
  const data = join(folder, 'data');
  if (!(await exists(join(data, 'PG_VERSION')))) throw new DatabaseFault(`The folder ${data} has no database any more. Bring its files back, or stop vouch and restore a backup into a new data folder.`);
  await start();
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}
