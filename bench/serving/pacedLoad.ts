import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { connections, relatedPath, type LoadRequest } from './load.ts';
import { RawConnection } from './rawConnection.ts';

export interface PacedRequest<Phase extends string> extends Omit<LoadRequest, 'seconds'> {
  /** Requests/s. */
  rate: number;
  /** Returns the phase of a request that becomes due now. Each phase has a separate report. */
  phase(): Phase;
  /** Returns true when the load is over. */
  ended(): boolean;
}

export interface PacedReport {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  /** p99 delay of the generator itself, in ms: requests with a free connection that were sent too late. */
  latenessP99Ms: number;
}

interface Figures {
  latenciesMs: number[];
  latenessMs: number[];
}

interface Due {
  path: string;
  figures: Figures;
  dueMs: number;
}

/**
 * Sends requests at a constant rate over at most 32 connections, whether or not earlier requests have been answered (open loop).
 * Latency counts from the moment a request was due. It therefore includes the wait for a free connection, and slow responses do
 * not hide the requests that they delayed. (autocannon's fixed rate sends 32 requests at once and measures its own burst.)
 * @returns the report of each phase; phases without requests are omitted
 * @throws Error at the first response that is not 200
 */
export async function runPacedLoad<Phase extends string>(request: PacedRequest<Phase>): Promise<Map<Phase, PacedReport>> {
  const { url, key, modelId, ids, seed, rate, phase, ended } = request;
  const random = seededRandom(seed);
  const idle = Array.from({ length: connections }, () => new RawConnection(url, key));
  const all = [...idle];
  const waiting: Due[] = [];
  const phases = new Map<Phase, Figures>();
  const failures: unknown[] = [];
  const count = { sent: 0, answered: 0 };
  const send = async (connection: RawConnection, first: Due): Promise<void> => {
    for (let next: Due | undefined = first; next !== undefined; next = waiting.shift()) {
      await connection.ask(next.path);
      next.figures.latenciesMs.push(performance.now() - next.dueMs);
      count.answered += 1;
    }
    idle.push(connection);
  };
  const startedMs = performance.now();
  try {
    for (; failures.length === 0 && !ended(); count.sent++) {
      const dueMs = startedMs + (1000 * count.sent) / rate;
      // Timers have a resolution of 1 ms: a request that is due sooner, or late, is sent at once.
      if (dueMs - performance.now() >= 1) await sleep(dueMs - performance.now());
      const path = relatedPath(modelId, random.pick(ids));
      const due = { path, figures: figuresOf(phases, phase()), dueMs: Math.min(dueMs, performance.now()) };
      const connection = idle.pop();
      if (connection === undefined) waiting.push(due);
      else {
        due.figures.latenessMs.push(performance.now() - due.dueMs);
        send(connection, due).catch((error: unknown) => failures.push(error));
      }
    }
    while (count.answered < count.sent && failures.length === 0) await sleep(1);
    if (failures.length > 0) throw failures[0];
    return new Map([...phases].map(([name, figures]) => [name, reportOf(figures)]));
  } finally {
    for (const connection of all) connection.close();
  }
}

function figuresOf<Phase>(phases: Map<Phase, Figures>, phase: Phase): Figures {
  const figures = phases.get(phase) ?? { latenciesMs: [], latenessMs: [] };
  phases.set(phase, figures);
  return figures;
}

function reportOf({ latenciesMs, latenessMs }: Figures): PacedReport {
  return {
    requests: latenciesMs.length,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    // A server that is overloaded throughout leaves no connection free, so there may be no values.
    latenessP99Ms: latenessMs.length === 0 ? 0 : quantile(latenessMs, 0.99),
  };
}
