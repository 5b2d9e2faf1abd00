import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { sendRequests } from '../serving/load.ts';
import { requestKinds, type RequestKind } from './requestKinds.ts';
import { sendAtRate } from './sendAtRate.ts';

/** Many requests of one organization. */
export interface Flood {
  url: string;
  key: string;
  kind: RequestKind;
  modelId: string;
  /** Entities of the requests, chosen at random. */
  ids: readonly string[];
  connections: number;
  seconds: number;
  /** Requests/s; default: as many as are answered. */
  rate?: number;
  /** Whether requests are sent at the rate although earlier ones are not answered yet. Otherwise, each connection waits for its answer. */
  isOpen?: boolean;
}

export interface FloodReport {
  /** Responses by status. */
  statuses: Record<string, number>;
  /** Number of requests without a response. */
  failures: number;
  seconds: number;
  /** p99 of responses 2xx. */
  p99Ms: number;
  /** Times of responses 2xx, in ms since the Unix epoch. */
  answeredMs: readonly number[];
}

/** Number of responses 2xx. */
export function answered({ statuses }: FloodReport): number {
  return Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0);
}

/** Number of responses. */
export function sent({ statuses }: FloodReport): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

/** Sends a flood from a separate process of the lowest priority, so that neither the server nor the caller waits for a processor because of it. */
export async function startFlood(flood: Flood): Promise<FloodReport> {
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.stdin.end(JSON.stringify(flood));
  const report = await text(child.stdout);
  if (report === '') throw new Error('the flood ended without a report');
  return JSON.parse(report) as FloodReport;
}

async function main(): Promise<void> {
  const { kind, modelId, ids, isOpen = false, rate, ...load } = (await json(process.stdin)) as Flood;
  const random = seededRandom(7);
  const next = () => requestKinds[kind](modelId, random.pick(ids));
  const { statuses, failures, seconds, latenciesMs, answeredMs } = await (isOpen && rate !== undefined ? sendAtRate({ ...load, rate, next }) : sendRequests({ ...load, ...(rate === undefined ? {} : { rate }), next }));
  const p99Ms = latenciesMs.length === 0 ? 0 : quantile(latenciesMs, 0.99);
  process.stdout.write(JSON.stringify({ statuses: Object.fromEntries(statuses), failures, seconds, p99Ms, answeredMs } satisfies FloodReport));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
