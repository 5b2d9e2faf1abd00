import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { connections, relatedPath, type LoadReport, type LoadRequest } from './load.ts';
import { RawConnection } from './rawConnection.ts';

export interface PacedRequest extends LoadRequest {
  /** Requests/s. */
  rate: number;
  /**
   * Seconds of the same load before, which are not counted. A server that has rested falls behind for 0.2 to 0.3 s when a
   * load begins at once: more than 1 % of an idle run of 8 s, less of a training of 30 s, so the two would not compare.
   */
  leadSeconds?: number;
  /** Ends the load before its `seconds` are over. */
  ended?: () => boolean;
}

export interface PacedReport extends LoadReport {
  p50Ms: number;
  /** How late the generator itself sent requests for which a connection was free. */
  latenessP99Ms: number;
}

interface Due {
  path: string;
  counts: boolean;
  dueMs: number;
}

/**
 * Sends requests at even distances, whether or not earlier ones were answered (open loop), over at most 32 connections.
 * Latency counts from the moment a request was due, so that waiting for a free connection counts too and slow answers
 * do not hide the requests that they held up. (autocannon's fixed rate sends 32 at once, which measures its own burst.)
 * @throws Error at the first answer that is not 200
 */
export async function runPacedLoad(request: PacedRequest): Promise<PacedReport> {
  const { url, key, modelId, ids, seconds, seed, rate, leadSeconds = 0, ended = () => false } = request;
  const uncounted = Math.round(rate * leadSeconds);
  const random = seededRandom(seed);
  const idle = Array.from({ length: connections }, () => new RawConnection(url, key));
  const all = [...idle];
  const waiting: Due[] = [];
  const latenciesMs: number[] = [];
  const leadMs: number[] = [];
  const latenessMs: number[] = [];
  const failures: unknown[] = [];
  const send = async (connection: RawConnection, first: Due): Promise<void> => {
    for (let next: Due | undefined = first; next !== undefined; next = waiting.shift()) {
      await connection.ask(next.path);
      (next.counts ? latenciesMs : leadMs).push(performance.now() - next.dueMs);
    }
    idle.push(connection);
  };
  const startedMs = performance.now();
  try {
    let sent = 0;
    for (; sent < uncounted + rate * seconds && failures.length === 0 && !ended(); sent++) {
      const dueMs = startedMs + (1000 * sent) / rate;
      // Timers are exact to a millisecond: nearer than that, or late already, a request goes at once.
      if (dueMs - performance.now() >= 1) await sleep(dueMs - performance.now());
      const counts = sent >= uncounted;
      const due = { path: relatedPath(modelId, random.pick(ids)), counts, dueMs: Math.min(dueMs, performance.now()) };
      const connection = idle.pop();
      if (connection === undefined) waiting.push(due);
      else {
        if (counts) latenessMs.push(performance.now() - due.dueMs);
        send(connection, due).catch((error: unknown) => failures.push(error));
      }
    }
    while (leadMs.length + latenciesMs.length < sent && failures.length === 0) await sleep(1);
    if (failures.length > 0) throw failures[0];
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    const requestsPerSecond = (leadMs.length + latenciesMs.length) / elapsedSeconds;
    return {
      requestsPerSecond,
      p50Ms: quantile(latenciesMs, 0.5),
      p99Ms: quantile(latenciesMs, 0.99),
      // A server that is overloaded throughout leaves no connection free.
      latenessP99Ms: latenessMs.length === 0 ? 0 : quantile(latenessMs, 0.99),
    };
  } finally {
    for (const connection of all) connection.close();
  }
}
