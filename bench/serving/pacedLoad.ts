import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { connections, relatedPath, type LoadRequest } from './load.ts';
import { RawConnection } from './rawConnection.ts';

export interface PacedRequest<Phase extends string> extends Omit<LoadRequest, 'seconds'> {
  /** Requests/s. */
  rate: number;
  /** Which phase a request belongs to that becomes due now; each phase has a report of its own. */
  phase(): Phase;
  /** Whether the load is over. */
  ended(): boolean;
}

export interface PacedReport {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  /** How late the generator itself sent requests for which a connection was free. */
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
 * Sends requests at even distances, whether or not earlier ones were answered (open loop), over at most 32 connections.
 * Latency counts from the moment a request was due, so that waiting for a free connection counts too and slow answers
 * do not hide the requests that they held up. (autocannon's fixed rate sends 32 at once, which measures its own burst.)
 * @returns what each phase saw; a phase without requests is not in it
 * @throws Error at the first answer that is not 200
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
      // Timers are exact to a millisecond: nearer than that, or late already, a request goes at once.
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
    // A server that is overloaded throughout leaves no connection free.
    latenessP99Ms: latenessMs.length === 0 ? 0 : quantile(latenessMs, 0.99),
  };
}
