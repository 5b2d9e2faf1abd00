import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedRequest, SentRequests } from '../serving/load.ts';

/** Time in ms after which a request counts as failed. */
const timeoutMs = 30_000;
/** Interval in ms at which the requests that are due are sent. */
const tickMs = 10;

/**
 * Sends requests at a rate, whether or not earlier ones are answered (open loop), over at most the given number of connections. A client that waits for
 * answers sends no more than a server answers, so it cannot overload it.
 * @param options `rate`: requests/s. `next`: returns the next request
 */
export async function sendAtRate({ url, key, connections, seconds, rate, next }: {
  url: string; key: string; connections: number; seconds: number; rate: number; next: () => PlannedRequest;
}): Promise<SentRequests> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses = new Map<number, number>();
  const [latenciesMs, answeredMs]: [number[], number[]] = [[], []];
  let failures = 0;
  const send = async (): Promise<void> => {
    const began = performance.now();
    const status = await ask(url, key, agent, next()).catch(() => null);
    if (status === null) return void failures++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 200 || status > 299) return;
    latenciesMs.push(performance.now() - began);
    answeredMs.push(performance.timeOrigin + performance.now());
  };
  const started = performance.now();
  const pending: Promise<void>[] = [];
  for (let passed = 0; passed < seconds; passed = (performance.now() - started) / 1_000) {
    while (pending.length < passed * rate) pending.push(send());
    await sleep(tickMs);
  }
  await Promise.all(pending);
  agent.destroy();
  // Until the last answer, so that answers to requests that waited at the end do not count as answers of a shorter time.
  return { statuses, latenciesMs, answeredMs, seconds: (performance.now() - started) / 1_000, failures };
}

/** Sends a request and reads the whole response. Returns its status. */
function ask(url: string, key: string, agent: Agent, { path, body }: PlannedRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { apikey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const sent = request(url + path, { method: body === undefined ? 'GET' : 'POST', agent, headers, timeout: timeoutMs }, (answer) => {
      answer.on('error', reject).on('end', () => resolve(answer.statusCode ?? 0)).resume();
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no answer'))).end(body);
  });
}
