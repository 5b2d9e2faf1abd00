import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../harness/interleave.ts';

export interface OthersReport {
  requests: number;
  /** Requests that were not answered with 200, or within 10 s. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

const timeoutMs = 10_000;

/**
 * Sends GETs at even distances for some seconds, whether or not earlier ones were answered, over connections that are kept.
 * @param from loopback address that they come from
 */
export async function measureOthers(options: { url: string; key: string; from: string; seconds: number; rate: number }): Promise<OthersReport> {
  const { url, key, from, seconds, rate } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 32, localAddress: from });
  const latencies: number[] = [];
  let failed = 0;
  const asking: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; sent < seconds * rate; sent++) {
    const dueMs = startedMs + (1000 * sent) / rate;
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    const askedMs = performance.now();
    asking.push(ask(agent, url, key).then((status) => {
      if (status !== 200) failed++;
      latencies.push(performance.now() - askedMs);
    }));
  }
  await Promise.all(asking);
  agent.destroy();
  return { requests: latencies.length, failed, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

/** The status of the answer; 0 where none came. */
function ask(agent: Agent, url: string, key: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { agent, headers: { apikey: key }, timeout: timeoutMs }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0)).on('error', () => resolve(0));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}
