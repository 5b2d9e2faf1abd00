import { startMisbehavingServer, sendJson, type MisbehavingServer } from '@vouch/chain/testing/misbehavingServer';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

type Call = { method: string; params: unknown[]; id: number };
type Change = (call: Call, result: unknown) => unknown;

let gateway: GatewayTestServer;
let endpoint: MisbehavingServer;
let target = '';
let change: Change = (_call, result) => result;
let sent = 0;

/** Passes requests on to the chain, and changes results. */
async function passOn(body: unknown): Promise<unknown> {
  const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const answers = await answer.json() as { result?: unknown } | { result?: unknown }[];
  const changed = (call: Call, each: { result?: unknown }): object => ({ ...each, ...('result' in each ? { result: change(call, each.result) } : {}) });
  return Array.isArray(answers) ? answers.map((each, at) => changed((body as Call[])[at]!, each)) : changed(body as Call, answers);
}

beforeAll(async () => {
  endpoint = await startMisbehavingServer((response, { body }) => void passOn(body).then((answer) => sendJson(response, answer)));
  gateway = await GatewayTestServer.start({ operators: 21, rpcUrl: endpoint.url });
  target = gateway.chain.url;
});
beforeEach(() => {
  change = (_call, result) => result;
  gateway.moveClock(100);
});
afterAll(async () => {
  await gateway?.close();
  await endpoint?.close();
});

const sendNext = async () => gateway.signAndSend(await gateway.claimerMessage(`0x${String(sent++).padStart(40, '7')}`), gateway.chain.operators[sent]!);

const newest = (fields: Record<string, unknown>): Change => ({ method, params }, result) =>
  (method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { ...(result as object), ...fields } : result);

it.each<[string, Change]>([
  ['a block without a number', newest({ number: null })],
  ['a number that is no quantity', newest({ number: 'latest' })],
  ['a number that is too large', newest({ number: `0x${'f'.repeat(64)}` })],
  ['a time that is no quantity', newest({ timestamp: 'soon' })],
  ['a time that is too large', newest({ timestamp: `0x${'f'.repeat(64)}` })],
  ['a hash that is none', newest({ hash: 'abc' })],
  ['no block', ({ method }, result) => (method === 'eth_getBlockByNumber' ? null : result)],
  ['views that are no bytes', ({ method }, result) => (method === 'eth_call' ? 'weight' : result)],
  ['views that are numbers', ({ method }, result) => (method === 'eth_call' ? 7 : result)],
  ['views that are text of the right length', ({ method }, result) => (method === 'eth_call' ? `0x${'zz'.repeat(32 * 12)}` : result)],
])('an endpoint with %s is an unavailable chain', async (_what, odd) => {
  const before = await gateway.countRows();
  change = odd;
  await gateway.chain.mine();
  const answer = await sendNext();
  expect([answer.status, answer.body.code, await gateway.countRows()]).toEqual([503, 'chain-unavailable', before]);
  change = (_call, result) => result;
  gateway.moveClock(100);
  await gateway.chain.mine();
  expect((await sendNext()).status).toBe(200);
});
