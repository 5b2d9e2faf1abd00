import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { connections, relatedPath, type LoadReport, type LoadRequest } from './load.ts';
import { RawConnection } from './rawConnection.ts';

export interface PacedRequest extends LoadRequest {
  /** Requests/s. */
  rate: number;
  /** Ends the load before its `seconds` are over. */
  ended?: () => boolean;
}

export interface PacedReport extends LoadReport {
  /** How late the generator itself sent requests for which a connection was free. */
  latenessP99Ms: number;
}

interface Due {
  path: string;
  dueMs: number;
}

/**
 * Sends requests at even distances, whether or not earlier ones were answered (open loop), over at most 32 connections.
 * Latency counts from the moment a request was due, so that waiting for a free connection counts too and slow answers
 * do not hide the requests that they held up. (autocannon's fixed rate sends 32 at once, which measures its own burst.)
 * @throws Error at the first answer that is not 200
 */
export async function runPacedLoad(request: PacedRequest): Promise<PacedReport> {
  const { url, key, modelId, ids, seconds, seed, rate, ended = () => false } = request;
  const random = seededRandom(seed);
  const idle = Array.from({ length: connections }, () => new RawConnection(url, key));
  const all = [...idle];
  const waiting: Due[] = [];
  const latenciesMs: number[] = [];
  const latenessMs: number[] = [];
  const failures: unknown[] = [];
  const send = async (connection: RawConnection, first: Due): Promise<void> => {
    for (let next: Due | undefined = first; next !== undefined; next = waiting.shift()) {
      await connection.ask(next.path);
      latenciesMs.push(performance.now() - next.dueMs);
    }
    idle.push(connection);
  };
  const startedMs = performance.now();
  try {
    let sent = 0;
    for (; sent < rate * seconds && failures.length === 0 && !ended(); sent++) {
      const dueMs = startedMs + (1000 * sent) / rate;
      // Timers are exact to a millisecond: nearer than that, or late already, a request goes at once.
      if (dueMs - performance.now() >= 1) await sleep(dueMs - performance.now());
      const due = { path: relatedPath(modelId, random.pick(ids)), dueMs: Math.min(dueMs, performance.now()) };
      const connection = idle.pop();
      if (connection === undefined) waiting.push(due);
      else {
        latenessMs.push(performance.now() - due.dueMs);
        send(connection, due).catch((error: unknown) => failures.push(error));
      }
    }
    while (latenciesMs.length < sent && failures.length === 0) await sleep(1);
    if (failures.length > 0) throw failures[0];
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    const requestsPerSecond = latenciesMs.length / elapsedSeconds;
    return { requestsPerSecond, p99Ms: quantile(latenciesMs, 0.99), latenessP99Ms: quantile(latenessMs, 0.99) };
  } finally {
    for (const connection of all) connection.close();
  }
}
