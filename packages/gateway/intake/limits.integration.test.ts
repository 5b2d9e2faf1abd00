import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { Agent, request as forward } from 'node:http';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment } from '@vouch/chain/testing/testDeployment';
import { afterEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { GatewayTestServer, requiredHeaders, type Refusal } from '../testing/gatewayTestServer.ts';
import { startEndpoint } from '../testing/testEndpoint.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

/** Number of times that each message is sent. `npm run test:heavy -- signer-quota` sets 50, which makes 10,000 requests. */
const rounds = Number(process.env['VOUCH_TEST_QUOTA_ROUNDS'] ?? '5');
let server: GatewayTestServer;
afterEach(() => server.close());

interface Reply {
  status: number;
  retryAfter: string | null;
  text: string;
}

/** Posts over a keep-alive connection; for this many requests, fetch takes longer than the server. */
function postPlainly(agent: Agent, url: string, text: string): Promise<Reply> {
  return new Promise((replied, failed) => {
    const headers = { ...requiredHeaders, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = forward(url, { method: 'POST', agent, headers }, (answer) => {
      let content = '';
      answer.setEncoding('utf8').on('data', (piece: string) => { content += piece; }).on('end', () =>
        replied({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? null, text: content }));
    });
    sent.on('error', failed);
    sent.end(text);
  });
}

it('a gateway that starts reads the licenses ahead, so that the first message does not wait for thousands of reads', async () => {
  const endpoint = await startEndpoint();
  try {
    server = await GatewayTestServer.start({ operators: 1, rpcUrl: endpoint.url });
    endpoint.to(server.chain.url);
    server.startSending();
    await expect.poll(() => endpoint.reads, { timeout: 60_000 }).toBeGreaterThan(5_000);
  } finally {
    endpoint.close();
  }
});

describe('a signer', () => {
  it('without quota is told of an expiry that no message may have, which the quota does not end', async () => {
    server = await GatewayTestServer.start({ operators: 1, settings: { signer_quota: 1 } });
    const account = server.chain.operators[0]!;
    expect((await server.signAndSend(await server.claimerMessage(`0x${'c1'.repeat(20)}`), account)).status).toBe(200);
    const message = await server.claimerMessage(`0x${'c2'.repeat(20)}`);
    const reasons: unknown[] = [];
    for (const expiredAt of [message.expired_at, message.expired_at + 86_400]) reasons.push((await server.signAndSend({ ...message, expired_at: expiredAt }, account)).body.reason);
    expect(reasons).toEqual(['quota', 'expires-too-late']);
  });

  exhaustiveTest('that sends thousands of messages has as many accepted as its quota says, and is told when to come again', async () => {
    server = await GatewayTestServer.start({ operators: 2, settings: { signer_quota: 100 } });
    const [flooder, other] = server.chain.operators as [TestAccount, TestAccount];
    // Raises the gas budgets, which would stop the messages before the quota does.
    for (const scope of ['signer', 'license'] as const) await server.setBudget(scope, { claimer: 100_000_000 });
    // Moves the clock to the start of a quota hour, so that no hour ends during the test.
    const left = 3_600 - (Math.floor(Date.now() / 1_000) % 3_600);
    server.moveClock(left);
    await server.chain.increaseTime(left);
    const expired = (await server.now()) + 3_600;
    const claimer = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const;
    // Sends 200 messages several times: accepted ones get the same answer again, refused ones stay refused.
    const bodies = await Promise.all(Array.from({ length: 200 }, async (_, at) =>
      JSON.stringify(await server.sign({ kind: 'claimer', claimer: claimer(at + 1), expired_at: expired }, flooder))));
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const url = `${server.at.url}/explorer_alphanet/send_tx_set_reward_claimer`;
    const outcomes: Record<string, number> = {};
    const ids = new Set<string>();
    let retryAfter = 0;
    for (let round = 0; round < rounds; round++) {
      for (const reply of await Promise.all(bodies.map((body) => postPlainly(agent, url, body)))) {
        const { reason = 'accepted', data } = JSON.parse(reply.text) as { reason?: string; data?: { request_id: string } };
        outcomes[`${reply.status} ${reason}`] = (outcomes[`${reply.status} ${reason}`] ?? 0) + 1;
        if (data !== undefined) ids.add(data.request_id);
        else retryAfter = Number(reply.retryAfter);
      }
    }
    agent.destroy();
    expect(outcomes).toEqual({ '200 accepted': 100 * rounds, '400 quota': 100 * rounds });
    expect([ids.size, await server.countRows()]).toEqual([100, 100]);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
    expect((await server.signAndSend(await server.claimerMessage(), other)).status).toBe(200);
    server.moveClock(3_600);
    await server.chain.increaseTime(3_600);
    expect((await server.signAndSend({ kind: 'claimer', claimer: claimer(999), expired_at: expired + 3_600 }, flooder)).status).toBe(200);
  });
});

describe('a chain that does not answer', () => {
  it('gives 503 with Retry-After and stores nothing; a message that was accepted before is still answered with its id', async () => {
    const endpoint = await startEndpoint();
    server = await GatewayTestServer.start({ operators: 1, rpcUrl: endpoint.url });
    endpoint.to(server.chain.url);
    try {
      const node = server.chain.operators[0]!;
      const expired = (await server.now()) + 3_600;
      const accepted = await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, node);
      expect(accepted.status).toBe(200);
      endpoint.off = true;
      server.moveClock(10);
      const refused = await server.signAndSend({ kind: 'claimer', claimer: node.address, expired_at: expired }, node);
      expect([refused.status, refused.body.reason, refused.body.error === refused.body.message]).toEqual([503, 'chain-unavailable', true]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.body.error).not.toContain('127.0.0.1');
      expect(await server.countRows()).toBe(1);
      const again = await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, node);
      expect(again.body.data?.request_id).toBe(accepted.body.data?.request_id);
      endpoint.off = false;
      server.moveClock(60);
      expect((await server.signAndSend({ kind: 'claimer', claimer: node.address, expired_at: expired }, node)).status).toBe(200);
    } finally {
      endpoint.close();
    }
  });

  it('that is another one than configured is not used', async () => {
    server = await GatewayTestServer.start({ operators: 1, settings: { chain_id: 42_161 } });
    const answer = await server.signAndSend(await server.claimerMessage(), server.chain.operators[0]!, { chainId: 42_161n });
    expect([answer.status, answer.body.reason]).toEqual([503, 'chain-unavailable']);
    expect(answer.body.error).toContain('serves chain 31337');
  });
});

describe('a contract with another domain', () => {
  it('has nothing accepted for it, since it would refuse everything', async () => {
    server = await GatewayTestServer.start({ operators: 1, settings: { domain_version: '2.0.0' } });
    const answer = await server.signAndSend(await server.claimerMessage(), server.chain.operators[0]!, { version: '2.0.0' });
    expect([answer.status, answer.body.reason]).toEqual([503, 'chain-unavailable']);
    expect(answer.body.error).toContain('signing domain of the contract differs');
  });
});

describe('a gateway that cannot take messages itself', () => {
  it('says so with 503 and Retry-After where its database is away', async () => {
    server = await GatewayTestServer.start({ operators: 1, ownDatabase: true });
    const body = await server.sign(await server.claimerMessage(), server.chain.operators[0]!);
    await server.database.close();
    const answer = await server.post('claimer', body);
    expect([answer.status, answer.body.reason, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, 'database-unavailable', true]);
    expect(answer.body.error).toBe(answer.body.message);
  });

  it('says so with 503 and Retry-After for a mistake of its own, without a word of it, and takes the message afterwards', async () => {
    server = await GatewayTestServer.start({ operators: 1, ownDatabase: true });
    const unsigned = await server.claimerMessage();
    const { database } = server;
    await database.query('ALTER TABLE gateway_requests RENAME TO gateway_requests_away');
    const broken = await server.signAndSend(unsigned, server.chain.operators[0]!);
    expect([broken.status, broken.body.reason, Number(broken.headers.get('retry-after')) > 0]).toEqual([503, 'internal', true]);
    expect(broken.body.error).not.toContain('gateway_requests');
    await database.query('ALTER TABLE gateway_requests_away RENAME TO gateway_requests');
    expect((await server.signAndSend(unsigned, server.chain.operators[0]!)).status).toBe(200);
  });

  it('says so with 503 and Retry-After while it drains', async () => {
    server = await GatewayTestServer.start({ operators: 1 });
    const body = await server.sign(await server.claimerMessage(), server.chain.operators[0]!);
    await server.at.server.drain();
    const answer = await server.post('claimer', body);
    expect([answer.status, answer.body.reason, answer.headers.get('retry-after')]).toEqual([503, 'draining', '5']);
    expect(answer.body.error).toBe(answer.body.message);
  });
});

describe('a gateway without a chain', () => {
  it('answers messages with what has to be set, and its other routes as ever', async () => {
    server = await GatewayTestServer.start({ operators: 1, rpcUrl: null });
    for (const path of ['/explorer_alphanet/send_tx_node_exit', '/explorer/send_tx_node_report_verification']) {
      const { status, body } = await server.send<Refusal>('POST', path, {}, requiredHeaders);
      expect([status, body.code]).toEqual([400, 'chain-not-configured']);
      for (const variable of ['VOUCH_CHAIN_RPC_URL', 'VOUCH_CHAIN_ID', 'VOUCH_CONTRACT_ADDRESS', 'VOUCH_RELAYER_KEYS']) expect(body.error).toContain(variable);
    }
    expect((await server.send('GET', '/explorer/replaced_node')).status).toBe(400);
    expect((await server.send('GET', '/gateway/info')).body).toMatchObject({ configured: false, chain: null });
    expect((await server.send('GET', '/gateway/requests/gw_nobody')).status).toBe(404);
    expect((await server.send('GET', '/gateway/batches', undefined, { apikey: 'default:admin' })).body).toEqual([]);
  });
});

describe('a chain that is reset while the gateway runs', () => {
  it('is not written for, since nobody would send there', async () => {
    const endpoint = await startEndpoint();
    server = await GatewayTestServer.start({ operators: 1, rpcUrl: endpoint.url });
    endpoint.to(server.chain.url);
    // The other chain has different rules and so a different genesis block, but the same contract addresses.
    const other = await startTestDeployment({ operators: 1, rules: { maxActiveNodes: 7 } });
    try {
      await other.mine();
      expect(other.contracts.service).toBe(server.chain.contracts.service);
      const expired = (await server.now()) + 3_600;
      const node = server.chain.operators[0]!;
      expect((await server.signAndSend({ kind: 'claimer', claimer: node.address, expired_at: expired }, node)).status).toBe(200);
      endpoint.to(other.url);
      server.moveClock(61);
      const answer = await server.signAndSend({ kind: 'claimer', claimer: zeroAddress, expired_at: expired }, node);
      expect([answer.status, answer.body.reason]).toEqual([503, 'chain-unavailable']);
      expect(answer.body.error).toContain('The chain was reset');
      expect(await server.countRows()).toBe(1);
    } finally {
      endpoint.close();
      await other.stop();
    }
  });
});

describe('allow-lists', () => {
  it('refuse other origins and applications, and let listed web pages in', async () => {
    const origin = requiredHeaders.origin;
    server = await GatewayTestServer.start({ operators: 1, settings: { gateway_origins: [origin], gateway_app_ids: ['verifier'] } });
    const body = await server.sign(await server.claimerMessage(), server.chain.operators[0]!);
    const refused = await server.post('claimer', body, { ...requiredHeaders, origin: 'https://elsewhere.example' });
    expect([refused.status, refused.body.reason]).toEqual([400, 'header-refused']);
    expect((await server.post('claimer', body, { ...requiredHeaders, 'x-app-id': 'other' })).body.reason).toBe('header-refused');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const accepted = await server.post('claimer', body);
    expect([accepted.status, accepted.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    const preflight = await server.send('OPTIONS', '/explorer/send_tx_node_exit', undefined, { origin, 'access-control-request-method': 'POST' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'content-type, x-app-id']);
  });
});

describe('what is open to everybody', () => {
  it('names no key and no endpoint', async () => {
    server = await GatewayTestServer.start({ operators: 1 });
    const { body } = await server.send('GET', '/gateway/info');
    expect(body).toMatchObject({
      configured: true, missing: [], headers: 'strict', domain: { name: 'ProtocolService', version: '1.0.0', chain_id: 31_337 },
      chain: { chain_id: 31_337, local: true, reachable: true, isolates: true }, limits: { expires_seconds_most: 21_600 },
    });
    expect((body['domain'] as { hash: string }).hash).toBe('0xca0dc827209e0b62f93ab46d3f2251f51b0dc6c5f4e622b0da6bda683b9158a8');
    const text = JSON.stringify(body);
    expect(text).not.toContain(server.chain.relayer.privateKey.slice(2));
    expect(text).not.toContain(new URL(server.chain.url).host);
  });
});
