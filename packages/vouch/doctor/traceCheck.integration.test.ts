import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkTraces } from './traceCheck.ts';

const collector = createServer((request, answer) => {
  request.resume();
  answer.writeHead(request.method === 'POST' && request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
});
let url = '';

beforeAll(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => { collector.close(); });

it('doctor says whether the collector takes traces, and why not', async () => {
  expect(await checkTraces(`${url}/`)).toEqual({ status: 'ok', detail: `${url} takes traces` });
  expect(await checkTraces(`${url}/elsewhere`)).toMatchObject({ status: 'warning', code: 'traces-refused', detail: `${url} does not take traces: Not Found` });
  expect(await checkTraces('http://127.0.0.1:1')).toMatchObject({ code: 'traces-refused', detail: expect.stringContaining('ECONNREFUSED') as string });
});
