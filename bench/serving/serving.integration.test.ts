import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLoad } from './load.ts';
import { runPacedLoad } from './pacedLoad.ts';
import { fetchSourceIds, fetchStream } from './fetchStream.ts';
import { startMemoryServer, type MemoryServer } from './startMemoryServer.ts';

const body = 'source_id,target_id,#,score\na,b,1,0.500000\na,c,2,0.250000\n"x,é",b,1,0.100000\n';
let server: MemoryServer;

beforeAll(async () => {
  server = await startMemoryServer([body]);
});
afterAll(() => server.stop());

describe('the yardstick server', () => {
  it('sends the given bytes, and streams as many as it is asked for', async () => {
    const report = await fetchStream(`${server.url}/v1/recommender/related_items?model_id=m`, 'key');
    expect(report.bytes).toBe(Buffer.byteLength(body));
    expect(report.rows).toBe(3);
    expect((await fetchStream(`${server.url}/stream?bytes=1000001`, 'key')).bytes).toBe(1_000_001);
  });

  it('is loaded without failures, and the load counts requests and their latency', async () => {
    const report = await runLoad({ url: server.url, key: 'key', modelId: 'm', ids: ['a', 'b'], seconds: 1, seed: 1 });
    expect(report.requestsPerSecond).toBeGreaterThan(0);
    expect(report.p99Ms).toBeGreaterThan(0);
  });

  it('is loaded at an even rate, as many requests as rate and time say', async () => {
    let asked = 0;
    const startedMs = performance.now();
    const reports = await runPacedLoad({
      url: server.url, key: 'key', modelId: 'm', ids: ['a'], seed: 1, rate: 100,
      phase: () => (asked++ < 30 ? 'first' : 'then'), ended: () => asked === 100,
    });
    // The last of 100 requests is due after 0.99 s.
    expect(performance.now() - startedMs).toBeGreaterThan(980);
    expect([reports.get('first')?.requests, reports.get('then')?.requests]).toEqual([30, 70]);
    expect(reports.get('then')?.p99Ms).toBeGreaterThan(0);
  });

  it('names the distinct sources of a stream', async () => {
    expect(await fetchSourceIds(server.url, 'key', 'm')).toEqual(['a', 'x,é']);
  });
});

describe('the load generator', () => {
  it('refuses a run with failed requests', async () => {
    const failing = createServer((_request, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
    await once(failing, 'listening');
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
    await expect(runLoad({ url, key: 'key', modelId: 'm', ids: ['a'], seconds: 1, seed: 1 })).rejects.toThrow('were not 2xx');
    const paced = runPacedLoad({ url, key: 'key', modelId: 'm', ids: ['a'], seed: 1, rate: 100, phase: () => 'all', ended: () => false });
    await expect(paced).rejects.toThrow('answered with 500');
    failing.closeAllConnections();
    failing.close();
  });

  it('takes no answer that is cut off for a whole one', async () => {
    const cutting = createServer((_request, response) => {
      response.writeHead(200).write('source_id\n', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(cutting, 'listening');
    const url = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
    await expect(fetchStream(url, 'key')).rejects.toThrow();
    cutting.close();
  });
});
