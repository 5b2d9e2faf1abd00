import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';
import { connections, relatedPath, type LoadReport, type LoadRequest } from './load.ts';

/**
 * Sends requests at even distances, whether or not earlier ones were answered (open loop), over at most 32 connections.
 * Latency counts from the moment a request was due, so that waiting for a free connection counts too and slow answers
 * do not hide the requests that they held up. (autocannon's fixed rate sends 32 at once, which measures its own burst.)
 * @param request its `rate` in requests/s
 * @throws Error at the first answer that is not 200
 */
export async function runPacedLoad(request: LoadRequest & { rate: number }): Promise<LoadReport> {
  const { url, key, modelId, ids, seconds, seed, rate } = request;
  const random = seededRandom(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedMs = performance.now();
  const answers: Promise<number>[] = [];
  try {
    for (let sent = 0; sent < rate * seconds; sent++) {
      const dueMs = startedMs + (1000 * sent) / rate;
      // Timers are exact to a millisecond: nearer than that, or late already, a request goes at once.
      if (dueMs - performance.now() >= 1) await sleep(dueMs - performance.now());
      const path = relatedPath(modelId, random.pick(ids));
      const answer = askOnce(agent, url + path, key, Math.min(dueMs, performance.now()));
      // Failures are thrown by the common wait below.
      answer.catch(() => undefined);
      answers.push(answer);
    }
    const latenciesMs = await Promise.all(answers);
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    return { requestsPerSecond: latenciesMs.length / elapsedSeconds, p99Ms: quantile(latenciesMs, 0.99) };
  } finally {
    agent.destroy();
  }
}

/** Latency of one request in ms, up to the last byte of its answer. */
function askOnce(agent: Agent, url: string, key: string, dueMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = get(url, { agent, headers: { apikey: key } }, (answer) => {
      answer.resume();
      answer.once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - dueMs);
        else reject(new Error(`${url} was answered with ${answer.statusCode}`));
      });
    });
    asking.once('error', reject);
  });
}
