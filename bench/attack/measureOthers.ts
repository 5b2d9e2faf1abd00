import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../harness/interleave.ts';
import type { PlannedRequest } from '../serving/load.ts';

export interface OthersReport {
  requests: number;
  /** Number of requests without a response 2xx within 10 s. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
  latenciesMs: number[];
  /** Start and end of each request, in ms since the Unix epoch. */
  spans: [number, number][];
}

const timeoutMs = 10_000;

/**
 * Sends requests at a constant rate over keep-alive connections, whether or not earlier requests have been answered.
 * @param options `next`: returns the next request; `from`: loopback IP address of the client; `seconds`: duration; `rate`: requests per second
 */
export async function measureOthers(options: {
  url: string; key: string; next: () => PlannedRequest; from: string; seconds: number; rate: number;
}): Promise<OthersReport> {
  const { url, key, next, from, seconds, rate } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 32, localAddress: from });
  const latencies: number[] = [];
  const spans: [number, number][] = [];
  let failed = 0;
  const asking: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; sent < seconds * rate; sent++) {
    const dueMs = startedMs + (1000 * sent) / rate;
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    const askedMs = performance.now();
    asking.push(ask(agent, url, key, next()).then((status) => {
      if (status < 200 || status > 299) failed++;
      const answeredMs = performance.now();
      latencies.push(answeredMs - askedMs);
      spans.push([performance.timeOrigin + askedMs, performance.timeOrigin + answeredMs]);
    }));
  }
  await Promise.all(asking);
  agent.destroy();
  return { requests: latencies.length, failed, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), latenciesMs: latencies, spans };
}

/** Returns the status of the response, or 0 if there was no response. */
function ask(agent: Agent, url: string, key: string, { path, body }: PlannedRequest): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url + path, { agent, method: body === undefined ? 'GET' : 'POST', headers: { apikey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, timeout: timeoutMs }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0)).on('error', () => resolve(0));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end(body);
  });
}
