import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../records/requestRecord.ts';
import { GatewayTestServer, requiredHeaders, type Envelope, type Refusal } from '../testing/gatewayTestServer.ts';
import { inFieldDialect, signAgain, type UnsignedMessage } from '../conformance/signMessage.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

interface Described {
  paths: Record<string, { post: { parameters: { name: string; required?: boolean }[] } }>;
}

let server: GatewayTestServer;
let operators: TestAccount[];

beforeAll(async () => {
  server = await GatewayTestServer.start({ operators: 9 });
  operators = [...server.chain.operators];
  await server.enter(...operators.slice(0, 6));
});

afterAll(() => server.close());

async function accept(unsigned: UnsignedMessage, account: TestAccount): Promise<NonNullable<Envelope['data']>> {
  const { status, body } = await server.signAndSend(unsigned, account);
  expect([status, body.code, body.msg], JSON.stringify(body)).toEqual([200, 0, 'ok']);
  return body.data!;
}

async function record(requestId: string): Promise<RequestRecord> {
  const { status, body } = await server.send<RequestRecord>('GET', `/gateway/requests/${requestId}`);
  expect(status).toBe(200);
  return body;
}

async function setState(requestId: string, state: string, code: string | null = null): Promise<void> {
  await server.database.query(
    'UPDATE gateway_requests SET state = $2, reason_code = $3, reason = $3, ended_at = now() WHERE request_id = $1', [requestId, state, code]);
}

describe('an accepted message', () => {
  it('is answered with its id after its row is there, and the record tells what it is', async () => {
    const unsigned = await server.claimerMessage();
    const answer = await server.signAndSend(unsigned, operators[0]!);
    const { request_id: id, status, tx_hash: hash } = answer.body.data!;
    expect([answer.status, status, hash, answer.headers.get('location')]).toEqual([200, 'verified', null, `/gateway/requests/${id}`]);
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'data', 'msg']);
    const told = await record(id);
    expect(told).toMatchObject({
      request_id: id, status: 'verified', kind: 'claimer', reason: null, batch_id: null, transactions: [], gas: null,
      operation: { claimer: unsigned.claimer, expiredAt: String(unsigned.expired_at) }, deadline: new Date(unsigned.expired_at * 1_000).toISOString(),
    });
    expect(told.signer.toLowerCase()).toBe(operators[0]!.address);
    expect(told.times.verified! >= told.times.received!).toBe(true);
    expect(id).toMatch(/^gw_[\w-]{22}$/);
  });

  it('is answered with the first id when it comes again, also with other bytes of its signature', async () => {
    const unsigned = await server.claimerMessage(`0x${'c2'.repeat(20)}`);
    const first = await accept(unsigned, operators[1]!);
    const again = await signAgain(unsigned, server.domain, operators[1]!.privateKey);
    expect(again['r']).not.toBe((await server.sign(unsigned, operators[2]!))['r']);
    for (const body of [await server.sign(unsigned, operators[1]!), again]) {
      expect((await server.post('claimer', body)).body.data?.request_id).toBe(first.request_id);
    }
    await setState(first.request_id, 'confirmed');
    expect((await server.post('claimer', again)).body.data).toMatchObject({ request_id: first.request_id, status: 'confirmed' });
    await server.database.query('UPDATE gateway_requests SET deadline = now() WHERE request_id = $1', [first.request_id]);
  });

  it('that comes many times at once is stored once', async () => {
    const before = await server.countRows();
    const body = await server.sign(await server.claimerMessage(`0x${'c3'.repeat(20)}`), operators[1]!);
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.post('claimer', body)));
    expect(new Set(answers.map((answer) => answer.body.data?.request_id)).size).toBe(1);
    expect(await server.countRows()).toBe(before + 1);
  });

  it('is still answered with its id after it has expired or is against the rules', async () => {
    const unsigned: UnsignedMessage = { kind: 'exit', expired_at: (await server.now()) + 3_600 };
    const { request_id: id } = await accept(unsigned, operators[2]!);
    // The node is about to exit now, so a new exit message is refused.
    expect((await server.signAndSend({ ...unsigned, expired_at: unsigned.expired_at - 5 }, operators[2]!)).body.reason).toBe('not-active');
    expect((await accept(unsigned, operators[2]!)).request_id).toBe(id);
  });

  it('that failed is opened again under its id when it passes now, and refused when it does not', async () => {
    const unsigned: UnsignedMessage = { kind: 'exit', expired_at: (await server.now()) + 3_600 };
    const { request_id: id } = await accept(unsigned, operators[3]!);
    const { rows: [row] } = await server.database.query<{ sequence: string }>('SELECT sequence FROM gateway_requests WHERE request_id = $1', [id]);
    for (const state of ['failed', 'expired']) {
      await setState(id, state, 'not-active');
      expect(await accept(unsigned, operators[3]!)).toMatchObject({ request_id: id, status: 'verified' });
    }
    expect(await record(id)).toMatchObject({ status: 'verified', reason: null, times: { ended: null } });
    const { rows: [later] } = await server.database.query<{ sequence: string }>('SELECT sequence FROM gateway_requests WHERE request_id = $1', [id]);
    expect(Number(later!.sequence)).toBeGreaterThan(Number(row!.sequence));
    const other = await accept({ kind: 'exit', expired_at: unsigned.expired_at }, operators[4]!);
    await setState(other.request_id, 'failed', 'not-active');
    await server.database.query(`UPDATE gateway_requests SET state = 'verified' WHERE request_id = $1`, [id]);
    expect((await accept({ kind: 'enter', replaced_node: zeroAddress, expired_at: unsigned.expired_at }, operators[3]!)).status).toBe('verified');
    await setState(other.request_id, 'failed', 'not-active');
    expect((await accept(unsigned, operators[4]!)).request_id).toBe(other.request_id);
  });

  it('of one signer is judged by what was accepted before it', async () => {
    const node = operators[6]!;
    const expired = (await server.now()) + 3_600;
    expect((await server.signAndSend({ kind: 'commission', commission_rate: 200, expired_at: expired }, node)).body.reason).toBe('signer-unregistered');
    await accept({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, node);
    expect((await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired - 1 }, node)).body.reason).toBe('already-active');
    await accept({ kind: 'commission', commission_rate: 200, expired_at: expired }, node);
    expect((await server.signAndSend({ kind: 'commission', commission_rate: 300, expired_at: expired }, node)).body.reason).toBe('commission-too-soon');
  });

  it('that changes nothing is confirmed at once, without a transaction', async () => {
    const node = operators[7]!;
    const expired = (await server.now()) + 3_600;
    const { request_id: id, status } = await accept(await server.claimerMessage(zeroAddress), node);
    expect(status).toBe('confirmed');
    expect(await record(id)).toMatchObject({ status: 'confirmed', reason: { code: 'unchanged' }, transactions: [], gas: null });
    const unchanged = await accept({ kind: 'commission', commission_rate: 0, expired_at: expired }, operators[5]!);
    expect(unchanged).toMatchObject({ status: 'confirmed', note: 'The commission is 0 %: 0 hundredths of a percent.' });
  });

  it('that changes nothing in the newest block waits until the change is final, and is carried out if a reorganization removes the change', async () => {
    const reorganized = await GatewayTestServer.start({ operators: 1, automine: false, settings: { confirmations: 3, batch_window_ms: 0 } });
    const { chain: { contracts, operators: [node], rpc, mine } } = reorganized;
    const request = async (unsigned: UnsignedMessage) => (await reorganized.signAndSend(unsigned, node!)).body.data!;
    const recordOf = async (id: string) => (await reorganized.send<RequestRecord>('GET', `/gateway/requests/${id}`)).body;
    const claimer = `0x${'c7'.repeat(20)}` as const;
    try {
      const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeSetRewardClaimer', args: [claimer] });
      const sent = sendTransactions(rpc, [{ to: contracts.service, data, gas: 200_000n }], { key: node!.privateKey });
      await expect.poll(async () => rpc.ask('txpool_status', [], (answer) => (answer as { pending: string }).pending)).toBe('0x1');
      await mine();
      await sent;
      const first = await request(await reorganized.claimerMessage(claimer));
      expect(first.status).toBe('verified');
      reorganized.startSending();
      await expect.poll(async () => (await recordOf(first.request_id)).waits_for).toContain('the chain already has the value that this message sets');
      // The block with the change.
      await rpc.request('anvil_reorg', [1, []]);
      await reorganized.ended();
      expect(await recordOf(first.request_id)).toMatchObject({ status: 'confirmed', reason: null, batch_id: expect.any(String) as string });
      const { expired_at: expired } = await reorganized.claimerMessage();
      expect((await request({ kind: 'claimer', claimer, expired_at: expired - 60 })).status).toBe('confirmed');
    } finally {
      await reorganized.close();
    }
  });

  it('that asks for what an earlier one is still to bring about waits, since that one may fail', async () => {
    const node = operators[7]!;
    const first = await server.claimerMessage(`0x${'c4'.repeat(20)}`);
    const { request_id: earlier } = await accept(first, node);
    const { request_id: id, status } = await accept({ ...first, expired_at: first.expired_at - 7 }, node);
    expect([status, id === earlier]).toEqual(['verified', false]);
    expect(await record(id)).toMatchObject({ status: 'verified', reason: null });
    await setState(earlier, 'mined', null);
    expect((await accept({ ...first, expired_at: first.expired_at - 8 }, node)).status).toBe('verified');
  });

  it('about a commission says which percentage was understood', async () => {
    const { note } = await accept({ kind: 'commission', commission_rate: 5, expired_at: (await server.now()) + 3_600 }, operators[5]!);
    expect(note).toBe('The commission is 0.05 %: 5 hundredths of a percent.');
  });

  it('of a report is answered with data null', async () => {
    const { chosen, attestationIds } = await server.attest('reported');
    const unsignedMessages = chosen.map((address, index) => ({
      account: operators.find((each) => each.address === address)!,
      unsigned: { kind: 'report', attestation_id: attestationIds[0]!, result: 0, index } as const,
    }));
    const answers = await Promise.all(unsignedMessages.map(({ account, unsigned }) => server.signAndSend(unsigned, account)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(unsignedMessages.map(() => [200, { code: 0, msg: 'ok', data: null }]));
    const again = await server.signAndSend(unsignedMessages[0]!.unsigned, unsignedMessages[0]!.account);
    expect(again.headers.get('location')).toBe(answers[0]!.headers.get('location'));
  });
});

describe('what is counted', () => {
  it('are messages by kind and outcome', async () => {
    const text = await server.metrics.metrics();
    for (const outcome of ['accepted', 'repeated', 'unchanged', 'not-active']) expect(text).toMatch(new RegExp(`vouch_gateway_messages_total\\{kind="\\w+",outcome="${outcome}"\\} [1-9]`));
  });
});

describe('both prefixes and both dialects', () => {
  it('are taken: the field dialect with data null and, when refused, an integer code', async () => {
    const lenient = await GatewayTestServer.start({ operators: 2, settings: { gateway_headers: 'lenient' } });
    try {
      const [node, other] = lenient.chain.operators as [TestAccount, TestAccount];
      const headers = { 'user-agent': 'Go-http-client/1.1', 'accept-encoding': 'gzip' };
      const body = inFieldDialect(await lenient.sign({ kind: 'enter', replaced_node: zeroAddress, expired_at: (await lenient.now()) + 3_600 }, node));
      for (const version of [{}, { version: '' }, { version: '0.0.1' }]) {
        const answer = await lenient.send<Envelope>('POST', '/explorer/send_tx_node_enter', { ...body, ...version }, headers);
        expect([answer.status, answer.body]).toEqual([200, { code: 0, msg: 'ok', data: null }]);
      }
      expect(await lenient.countRows()).toBe(1);
      const refused = await lenient.send<Refusal>('POST', '/explorer_alphanet/send_tx_node_enter', { ...body, signer: other.address }, headers);
      expect([refused.status, refused.body.code, refused.body.reason]).toEqual([400, 400, 'signer-mismatch']);
      expect(refused.body.message).toBe(refused.body.error);
      // The API description lists the headers that this gateway requires.
      for (const [gateway, required] of [[lenient, false], [server, true]] as const) {
        const { body: described } = await gateway.send<Described>('GET', '/openapi.json');
        const { parameters } = described.paths['/explorer/send_tx_node_enter']!.post;
        expect(parameters.map((each) => [each.name, each.required ?? false])).toEqual([['Origin', required], ['User-Agent', required], ['x-app-id', required]]);
      }
      const replaced = await lenient.send('GET', `/explorer_alphanet/replaced_node?verifierAddr=${node.address}`, undefined, headers);
      expect([replaced.status, replaced.body]).toEqual([200, { code: 0, msg: 'ok', data: { replaced_addr: zeroAddress } }]);
    } finally {
      await lenient.close();
    }
  });

  it.each<[string, (body: Record<string, unknown>) => Record<string, unknown>]>([
    ['hex with 0x', (body) => ({ ...body, r: `0x${String(body['r'])}`, s: `0X${String(body['s'])}` })],
    ['hex without 0x and in upper case', (body) => ({ ...body, claimer: String(body['claimer']).slice(2).toUpperCase(), signer: String(body['signer']).slice(2).toLowerCase() })],
    ['v as parity', (body) => ({ ...body, v: Number(body['v']) - 27 })],
    ['numbers as text', (body) => ({ ...body, v: String(body['v']), expired_at: String(body['expired_at']) })],
    ['a version', (body) => ({ ...body, version: '0.0.1' })],
  ])('and %s', async (_name, rewrite) => {
    const claimer = `0x${String(_name.length).padStart(40, 'd')}` as const;
    const body = await server.sign(await server.claimerMessage(claimer), operators[8]!);
    const answer = await server.post('claimer', rewrite(body), requiredHeaders);
    expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([200, 0]);
  });

  it('but not one field in two spellings that differ', async () => {
    const body = await server.sign(await server.claimerMessage(), operators[8]!);
    const answer = await server.post<Refusal>('claimer', { ...body, expiredAt: '1' });
    expect([answer.status, answer.body.reason]).toEqual([400, 'message-invalid']);
    expect(answer.body.error).toContain('expired_at and expiredAt are the same field');
  });
});
