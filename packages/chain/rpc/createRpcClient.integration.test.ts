import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, describe, expect, it } from 'vitest';
import { createRpcClient, type RpcClientOptions } from './createRpcClient.ts';
import { misbehaviours } from '../testing/misbehaviours.ts';
import { answering, sendJson, startMisbehavingServer, type Behaviour, type MisbehavingServer } from '../testing/misbehavingServer.ts';
import { parseInteger } from './parseResult.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused, RpcUnavailable } from './rpcErrors.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(behave: Behaviour): Promise<MisbehavingServer> {
  const server = await startMisbehavingServer(behave);
  closers.push(() => server.close());
  return server;
}

function client(urls: readonly string[], options: Partial<RpcClientOptions> = {}): RpcClient {
  const rpc = createRpcClient({ timeoutMs: patientMs, ...options, urls }, systemInterfaces);
  closers.push(() => rpc.close());
  return rpc;
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(() => null, (error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  return outcome as Error;
}

/** Time limit that no endpoint reaches that answers at all. */
const patientMs = 60_000;

const good = answering(({ method }) => ({ result: method === 'eth_blockNumber' ? '0x10' : `said ${method}` }));

/** Behaviours that only the time limit ends; all others end on their own. */
const silent: ReadonlySet<string> = new Set(['nothing', 'its headers and then nothing']);
const limitsFor = (name: string): Partial<RpcClientOptions> => ({ timeoutMs: silent.has(name) ? 300 : patientMs, answerBytesMax: 10_000 });

describe('an endpoint that answers with', () => {
  it.each(misbehaviours)('%s is passed over', async (name, behave) => {
    const [bad, other] = [await serve(behave), await serve(good)];
    const rpc = client([bad.url, other.url], limitsFor(name));
    expect(await rpc.ask('eth_blockNumber', [], parseInteger)).toBe(16);
    expect(bad.heard.length).toBe(1);
  });

  it.each(misbehaviours)('%s is named, where it is the only one', async (name, behave, sentence) => {
    const bad = await serve(behave);
    const error = await errorOf(client([bad.url], limitsFor(name)).ask('eth_blockNumber', [], parseInteger));
    expect(error.message).toMatch(sentence);
    expect(error.message).toContain(bad.host);
  });
});

describe('what a node says about the call itself', () => {
  it('comes back at once, whatever others would say', async () => {
    const data = '0x08c379a0';
    const [first, second] = [await serve(answering(() => ({ error: { code: 3, message: 'execution reverted: Less weights', data } }))), await serve(good)];
    const error = await errorOf(client([first.url, second.url]).request('eth_call', [{}]));
    expect(error).toBeInstanceOf(RpcRefused);
    expect(error).toMatchObject({ code: 3, said: 'execution reverted: Less weights', data });
    expect(second.heard.length).toBe(0);
  });

  it('is read from an answer with HTTP 400 too', async () => {
    const server = await serve((response, { body }) =>
      sendJson(response, { jsonrpc: '2.0', id: (body as { id: number }).id, error: { code: -32_602, message: 'missing parameter' } }, 400));
    expect(await errorOf(client([server.url]).request('eth_call'))).toMatchObject({ name: 'RpcRefused', code: -32_602 });
  });

  it.each<[string, unknown]>([['text', 'no'], ['a message that is an object', { code: 'x', message: {} }], ['a list', [1]]])(
    'is a sentence also where the error is %s', async (_name, error) => {
      const server = await serve(answering(() => ({ error })));
      const refused = await errorOf(client([server.url]).request('eth_call'));
      expect(refused.message).toMatch(/refused eth_call: (no|no reason given) \(code 0\)/);
    });

  it('is shown short and in one line', async () => {
    const server = await serve(answering(() => ({ error: { code: 1, message: `a\n\u001b[31m${'b'.repeat(100_000)}` } })));
    const { message } = await errorOf(client([server.url]).request('eth_call'));
    expect(message.length).toBeLessThan(700);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe('an address with a secret', () => {
  it('is shown by its host alone, also where the endpoint says it back', async () => {
    const server = await serve((response, { path, body }) =>
      sendJson(response, { jsonrpc: '2.0', id: (body as { id: number }).id, error: { code: -32_000, message: `bad key in ${path}` } }));
    const address = server.url.replace('//', '//operator:hunter2hunter2@');
    const rpc = client([`${address}/v3/0123456789abcdef?token=fedcba9876543210`]);
    const error = await errorOf(rpc.request('eth_chainId'));
    expect(server.heard[0]).toMatchObject({
      path: '/v3/0123456789abcdef?token=fedcba9876543210',
      authorization: `Basic ${Buffer.from('operator:hunter2hunter2').toString('base64')}`,
    });
    for (const shown of [error.message, String(error.stack), JSON.stringify(error), JSON.stringify(rpc.endpoints())]) {
      expect(shown).not.toMatch(/0123456789abcdef|fedcba9876543210|hunter2/);
    }
    expect(error.message).toContain('bad key in /v3/[secret]?token=[secret]');
  });

  it.each(['ftp://user:hunter2hunter2@node', 'nonsense hunter2hunter2', 'ws://node/hunter2hunter2', ''])('is not shown where it is wrong (%s)', (url) => {
    expect(() => createRpcClient({ urls: [url], timeoutMs: 1 }, systemInterfaces)).toThrow(/^An RPC URL/);
    expect(() => createRpcClient({ urls: [url], timeoutMs: 1 }, systemInterfaces)).not.toThrow(/hunter2/);
  });
});

describe('an endpoint that failed', () => {
  it('rests while another works, and is asked again after that', async () => {
    let now = 1_000;
    let broken = true;
    const first = await serve((response, request) => (broken ? response.writeHead(500).end() : good(response, request)));
    const second = await serve(good);
    const rpc = createRpcClient({ urls: [first.url, second.url] }, { ...systemInterfaces, clock: { now: () => now }, elapsedMs: () => now });
    closers.push(() => rpc.close());
    for (let count = 0; count < 5; count += 1) await rpc.request('eth_blockNumber');
    expect([first.heard.length, second.heard.length]).toEqual([1, 5]);
    expect(rpc.endpoints()[0]).toMatchObject({ host: first.host, resting: true, failures: 1, lastFaultAt: 1_000 });
    expect(rpc.endpoints()[0]!.lastFault).toContain('HTTP 500');
    broken = false;
    now += 1_001;
    await rpc.request('eth_blockNumber');
    expect([first.heard.length, second.heard.length]).toEqual([2, 5]);
    expect(rpc.endpoints()[0]).toMatchObject({ resting: false, failures: 0 });
  });

  it('rests no longer where the clock is set back', async () => {
    const clock = { ms: 7_200_000, now: () => clock.ms };
    let passedMs = 0;
    let broken = true;
    const first = await serve((response, request) => (broken ? response.writeHead(500).end() : good(response, request)));
    const second = await serve(good);
    const rpc = createRpcClient({ urls: [first.url, second.url] }, { ...systemInterfaces, clock, elapsedMs: () => passedMs });
    closers.push(() => rpc.close());
    await rpc.request('eth_blockNumber');
    broken = false;
    clock.ms -= 3_600_000;
    passedMs = 1_001;
    await rpc.request('eth_blockNumber');
    expect([first.heard.length, second.heard.length]).toEqual([2, 1]);
  });

  it('is tried again by one call alone, while the others go to the next', async () => {
    let now = 1_000;
    let broken = true;
    const held: (() => void)[] = [];
    const first = await serve((response, request) => (broken ? void held.push(() => response.destroy()) : good(response, request)));
    const second = await serve(good);
    const rpc = createRpcClient({ urls: [first.url, second.url], timeoutMs: patientMs }, { ...systemInterfaces, clock: { now: () => now }, elapsedMs: () => now });
    closers.push(() => rpc.close());
    /** Makes the first endpoint close its connections once the second one has received `others` requests. */
    const hangUp = async (others: number): Promise<void> => {
      for (;;) {
        if (held.length > 0 && second.heard.length >= others) return held.pop()?.();
        await systemInterfaces.timers.sleep(5);
      }
    };
    await Promise.all([rpc.request('eth_blockNumber'), hangUp(0)]);
    now += 1_001;
    await Promise.all([...[1, 2, 3, 4, 5].map(() => rpc.request('eth_blockNumber')), hangUp(1 + 4)]);
    expect([first.heard.length, second.heard.length]).toEqual([2, 6]);
    broken = false;
    now += 2_001;
    await Promise.all([1, 2, 3].map(() => rpc.request('eth_blockNumber')));
    expect(first.heard.length).toBe(3);
    await Promise.all([1, 2, 3].map(() => rpc.request('eth_blockNumber')));
    expect(first.heard.length).toBe(6);
  });

  it('rests too where it only says that it is asked too often', async () => {
    const busy = await serve(answering(() => ({ error: { code: -32_005, message: 'rate limit exceeded' } })));
    const other = await serve(good);
    const rpc = createRpcClient({ urls: [busy.url, other.url] }, { ...systemInterfaces, elapsedMs: () => 1_000 });
    closers.push(() => rpc.close());
    for (let count = 0; count < 5; count += 1) expect(await rpc.request('eth_blockNumber')).toBe('0x10');
    await rpc.batch([{ method: 'a', params: [] }, { method: 'b', params: [] }]);
    expect(busy.heard.length).toBe(1);
    expect(rpc.endpoints()[0]!.lastFault).toBe(`${busy.host} is busy: rate limit exceeded`);
  });

  it('is asked although it rests where there is no other', async () => {
    let answers = 0;
    const server = await serve((response, request) => ((answers += 1) === 1 ? response.writeHead(503).end() : good(response, request)));
    const rpc = client([server.url]);
    expect(await errorOf(rpc.request('eth_blockNumber'))).toBeInstanceOf(RpcUnavailable);
    expect(await rpc.request('eth_blockNumber')).toBe('0x10');
  });

  it('is named with all others where none answers', async () => {
    const [first, second] = [await serve((response) => response.writeHead(500).end()), await serve((response) => response.destroy())];
    const error = await errorOf(client([first.url, second.url, 'http://127.0.0.1:1/']).request('eth_chainId'));
    expect(error.message).toMatch(/^None of the 3 RPC endpoints answered eth_chainId: .*HTTP 500.*; .*closed.*; 127\.0\.0\.1:1 refuses connections\.$/);
  });

  it('is said to have given no answer where it is the only one', async () => {
    const error = await errorOf(client(['http://127.0.0.1:1/']).request('eth_chainId'));
    expect(error.message).toBe('The RPC endpoint did not answer eth_chainId: 127.0.0.1:1 refuses connections.');
  });
});

describe('a batch', () => {
  const calls = Array.from({ length: 7 }, (_, place) => ({ method: 'echo', params: [place] }));
  const echo = answering(({ params }) => (params[0] === 3 ? { error: { code: 3, message: 'reverted' } } : { result: params[0] }));

  it('goes in few requests and keeps its order, each call with its own outcome', async () => {
    const server = await serve((response, request) => {
      if (!Array.isArray(request.body)) return echo(response, request);
      const answers = (request.body as { id: number; params: unknown[] }[]).map(({ id, params }) => ({
        jsonrpc: '2.0', id, ...(params[0] === 3 ? { error: { code: 3, message: 'reverted' } } : { result: params[0] }),
      }));
      return sendJson(response, answers.toReversed());
    });
    const outcomes = await client([server.url], { batchCallsMax: 4 }).batch(calls);
    expect(server.heard.length).toBe(2);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.error.name))).toEqual([0, 1, 2, 'RpcRefused', 4, 5, 6]);
  });

  it('is made of single calls where the endpoint takes no batches, from then on', async () => {
    const server = await serve((response, request) => (Array.isArray(request.body)
      ? sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batch requests are disabled' } })
      : echo(response, request)));
    const rpc = client([server.url]);
    for (let count = 0; count < 2; count += 1) {
      expect((await rpc.batch(calls)).map((outcome) => outcome.ok)).toEqual([true, true, true, false, true, true, true]);
    }
    expect(server.heard.length).toBe(1 + 2 * calls.length);
  });

  it('asks the next endpoint for what the first left out', async () => {
    const first = await serve((response, { body }) =>
      sendJson(response, (body as { id: number; params: unknown[] }[]).slice(0, 3).map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] }))));
    const second = await serve(echo);
    const outcomes = await client([first.url, second.url]).batch(calls);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.error.name))).toEqual([0, 1, 2, 'RpcRefused', 4, 5, 6]);
    expect((second.heard[0]!.body as unknown[]).length).toBe(4);
  });

  it('fails as a whole only where no endpoint answers', async () => {
    const [bad, other] = [await serve((response) => response.writeHead(500).end()), await serve(echo)];
    expect((await client([bad.url, other.url]).batch(calls)).length).toBe(7);
    expect(await errorOf(client([bad.url]).batch(calls))).toBeInstanceOf(RpcUnavailable);
  });

  it('of nothing asks nobody', async () => {
    expect(await client(['http://127.0.0.1:1']).batch([])).toEqual([]);
  });
});

describe('a call that nobody waits for any more', () => {
  it('ends with the reason of its signal and blames no endpoint', async () => {
    const server = await serve(() => {});
    const rpc = client([server.url, server.url], { timeoutMs: 60_000 });
    const controller = new AbortController();
    const asked = errorOf(rpc.request('eth_chainId', [], controller.signal));
    controller.abort(new Error('enough'));
    expect((await asked).message).toBe('enough');
    expect(await errorOf(rpc.batch([{ method: 'a', params: [] }, { method: 'b', params: [] }], controller.signal))).toMatchObject({ message: 'enough' });
    expect(rpc.endpoints().map(({ failures }) => failures)).toEqual([0, 0]);
  });
});

it('reads a long answer that ends with its connection and names no length', async () => {
  const text = 'x'.repeat(1_000_000);
  const server = await serve((response, { body }) => {
    response.socket?.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ jsonrpc: '2.0', id: (body as { id: number }).id, result: text })}`);
  });
  expect(await client([server.url]).request('eth_call')).toBe(text);
});

it('sends bigints as quantities', async () => {
  const server = await serve(good);
  await client([server.url]).request('eth_getBlockByNumber', [255n, { value: 10n ** 18n }]);
  expect(server.heard[0]!.body).toMatchObject({ params: ['0xff', { value: '0xde0b6b3a7640000' }] });
});

describe('a client of one chain', () => {
  const onChain = (id: string): Behaviour => answering(({ method }) => ({ result: method === 'eth_chainId' ? id : '0x10' }));

  it('passes over an endpoint of another chain, with single calls and with batches, and names it', async () => {
    const [other, right] = [await serve(onChain('0x2')), await serve(onChain('0x1'))];
    const rpc = client([other.url, right.url], { chainId: 1n });
    expect(await rpc.ask('eth_blockNumber', [], parseInteger)).toBe(16);
    expect(await rpc.batch([{ method: 'eth_blockNumber', params: [] }])).toEqual([{ ok: true, result: '0x10' }]);
    expect(other.heard.every(({ body }) => (body as { method: string }).method === 'eth_chainId')).toBe(true);
    expect(rpc.endpoints()[0]?.lastFault).toBe(`${other.host} serves chain 2, but chain 1 is configured`);
    const error = await errorOf(client([other.url], { chainId: 1n }).batch([{ method: 'eth_blockNumber', params: [] }]));
    expect(error).toBeInstanceOf(RpcUnavailable);
  });

  it('reads the chain id once, and again after a failure', async () => {
    let behave = onChain('0x1');
    const server = await serve((response, request) => behave(response, request));
    const rpc = client([server.url], { chainId: 1n });
    for (let count = 0; count < 3; count += 1) await rpc.request('eth_blockNumber');
    expect(server.heard.filter(({ body }) => (body as { method: string }).method === 'eth_chainId')).toHaveLength(1);
    behave = (response) => response.writeHead(502).end();
    await errorOf(rpc.request('eth_blockNumber'));
    behave = onChain('0x2');
    expect((await errorOf(rpc.request('eth_blockNumber'))).message).toContain('serves chain 2, but chain 1 is configured');
  });

  it.each<[string, Behaviour]>([
    ['refuses to return it', answering(({ method }) => (method === 'eth_chainId' ? { error: { code: -32_000, message: 'no' } } : { result: '0x10' }))],
    ['returns none', onChain('one')],
  ])('passes over an endpoint that %s', async (_how, behave) => {
    const [odd, right] = [await serve(behave), await serve(onChain('0x1'))];
    expect(await client([odd.url, right.url], { chainId: 1n }).ask('eth_blockNumber', [], parseInteger)).toBe(16);
    expect((await errorOf(client([odd.url], { chainId: 1n }).batch([{ method: 'eth_blockNumber', params: [] }]))).message).toContain('did not return its chain id');
  });
});

describe('an endpoint whose newest block is old', () => {
  const minute = 60;
  const hash = (digit: string): string => `0x${digit.repeat(64)}`;

  /** Serves a chain whose newest block is as many seconds old as `ages` says at the time of a call. */
  async function follow(age: () => number): Promise<MisbehavingServer> {
    const block = (): object => ({
      number: '0x10', hash: hash('1'), parentHash: hash('2'), timestamp: `0x${Math.floor(Date.now() / 1000 - age()).toString(16)}`, baseFeePerGas: '0x1', gasLimit: '0x1', gasUsed: '0x1',
    });
    return serve(answering(({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : method === 'eth_getBlockByNumber' ? block() : `said ${method}` })));
  }

  const asked = ({ heard }: MisbehavingServer): number => heard.filter(({ body }) => JSON.stringify(body).includes('"probe"')).length;

  it('is asked after the others, until it follows the chain again', async () => {
    let age = 60 * minute;
    const [old, current] = [await follow(() => age), await follow(() => 0)];
    let elapsed = 0;
    const rpc = createRpcClient({ timeoutMs: patientMs, urls: [old.url, current.url], chainId: 1n }, { ...systemInterfaces, elapsedMs: () => elapsed });
    closers.push(() => rpc.close());
    await rpc.request('first');
    await expect.poll(() => rpc.endpoints().map(({ behindSeconds }) => Math.round(behindSeconds / minute))).toEqual([60, 0]);
    await rpc.request('probe');
    await rpc.batch([{ method: 'probe', params: [] }]);
    expect([asked(old), asked(current)]).toEqual([0, 2]);
    age = 0;
    elapsed += 30_000;
    await rpc.request('second');
    await expect.poll(() => rpc.endpoints().map(({ behindSeconds }) => behindSeconds)).toEqual([0, 0]);
    await rpc.request('probe');
    expect([asked(old), asked(current)]).toEqual([1, 2]);
  });

  it('is asked nevertheless if the others fail, if it is the only one, or if the other one is ahead of every clock', async () => {
    for (const others of [[await serve((response) => response.destroy())], [], [await follow(() => -60 * minute)]]) {
      const old = await follow(() => 60 * minute);
      const rpc = client([old.url, ...others.map(({ url }) => url)], { chainId: 1n });
      await rpc.request('first');
      if (others.length > 0) await expect.poll(() => old.heard.some(({ body }) => JSON.stringify(body).includes('latest'))).toBe(true);
      expect(await rpc.request('probe')).toBe('said probe');
      expect(asked(old)).toBe(1);
    }
  });
});
