import type { ChosenAttestations } from '@vouch/chain/contracts/devnetActions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayTestServer, requiredHeaders, type Answer, type Refusal } from '../testing/gatewayTestServer.ts';
import { withHighS, type UnsignedMessage } from '../conformance/signMessage.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

/** The active set has two places, taken by the first two operators, so that tests can fill it. */
let server: GatewayTestServer;
let attested: ChosenAttestations;
let [first, second, third, light]: TestAccount[] = [];
let stranger: TestAccount;

beforeAll(async () => {
  server = await GatewayTestServer.start({ operators: 4, licenses: 2, rules: { maxActiveNodes: 2 } });
  [first, second, third, light] = server.chain.operators as TestAccount[];
  stranger = server.chain.deployer;
  await server.enter(first!, second!);
  attested = await server.attest('an attestation');
});

afterAll(() => server.close());

/** Checks that an answer has the standard form of a refusal and that no row was stored. */
function expectRefused(answer: Answer<unknown>, code: string, ...words: string[]): void {
  const body = answer.body as Refusal;
  expect([answer.status, body.reason], JSON.stringify(body)).toEqual([400, code]);
  expect(Object.keys(body).sort()).toEqual(['code', 'error', 'message', 'reason']);
  expect(body.code).toBe(code);
  expect(body.message).toBe(body.error);
  expect(body.error).toMatch(/^\S.{30,}[.]$/);
  for (const word of words) expect(body.error).toContain(word);
}

async function later(seconds: number): Promise<number> {
  return (await server.now()) + seconds;
}

const reporter = (): TestAccount => [first!, second!].find(({ address }) => address === attested.chosen[0])!;
const report = (changes: Partial<Extract<UnsignedMessage, { kind: 'report' }>> = {}): UnsignedMessage => ({ kind: 'report', attestation_id: attested.attestationIds[0]!, result: 0, index: 0, ...changes });

describe('a message is answered 400 with a sentence, and not stored,', () => {
  it.each(['origin', 'user-agent', 'x-app-id'])('without the header %s', async (name) => {
    const headers = { ...requiredHeaders, [name]: '' };
    const answer = await server.post('claimer', await server.sign(await server.claimerMessage(), first!), headers);
    expectRefused(answer, 'header-missing', name === 'user-agent' ? 'User-Agent' : name === 'origin' ? 'Origin' : 'x-app-id');
  });

  it('with a header of 257 characters', async () => {
    const answer = await server.post('claimer', await server.sign(await server.claimerMessage(), first!), { ...requiredHeaders, 'x-app-id': 'x'.repeat(257) });
    expectRefused(answer, 'header-missing', '257');
  });

  it.each(['claimer', 'expired_at', 'signer', 'v', 'r', 's'])('without the field %s', async (name) => {
    const { [name]: _, ...rest } = await server.sign(await server.claimerMessage(), first!);
    expectRefused(await server.post('claimer', rest), 'message-invalid', `${name} is required`);
  });

  it('with fields of the wrong type, all of them named', async () => {
    const body = await server.sign(await server.claimerMessage(), first!);
    const wrong = { ...body, claimer: 7, expired_at: 'soon', signer: '0x12', r: 'xyz', s: [], v: true };
    expectRefused(await server.post('claimer', wrong), 'message-invalid', 'claimer is 7', 'expired_at is "soon"', 'signer is "0x12"', 'r is "xyz"', 's is []', 'v is true');
  });

  it.each([['', 'message-unreadable'], ['null', 'message-unreadable'], ['[]', 'message-unreadable'], ['"x"', 'message-unreadable'], ['{"v":', 'malformed-request'], ['{"__proto__":{}}', 'invalid-parameter']])(
    'with the body %j', async (body, code) => expectRefused(await server.post('claimer', body), code));

  it('signed by another key', async () => {
    const body = await server.sign(await server.claimerMessage(), second!);
    expectRefused(await server.post('claimer', { ...body, signer: first!.address }), 'signer-mismatch', 'ProtocolService 1.0.0 on chain 31337');
  });

  it('with a signature in the upper half', async () => {
    expectRefused(await server.post('claimer', withHighS(await server.sign(await server.claimerMessage(), first!))), 'signature-invalid', 'upper half');
  });

  it('with v = 5', async () => {
    expectRefused(await server.post('claimer', { ...(await server.sign(await server.claimerMessage(), first!)), v: 5 }), 'signature-invalid', 'v is 5');
  });

  it('with numbers that no key makes', async () => {
    const body = await server.sign(await server.claimerMessage(), first!);
    expectRefused(await server.post('claimer', { ...body, r: '0', s: '0' }), 'signature-invalid');
    expectRefused(await server.post('claimer', { ...body, r: 'f'.repeat(64) }), 'signature-invalid');
  });

  it('that has expired', async () => {
    expectRefused(await server.signAndSend({ ...(await server.claimerMessage()), expired_at: await later(-10) }, first!), 'message-expired');
  });

  it('that expires in 7 hours', async () => {
    expectRefused(await server.signAndSend({ ...(await server.claimerMessage()), expired_at: await later(7 * 3_600) }, first!), 'expires-too-late', '7 h', 'at most 6 h');
  });

  it('that expires in 30 seconds', async () => {
    expectRefused(await server.signAndSend({ ...(await server.claimerMessage()), expired_at: await later(30) }, first!), 'expires-too-soon');
  });

  it('signed for another chain', async () => {
    expectRefused(await server.signAndSend(await server.claimerMessage(), first!, { chainId: 42_161n }), 'signer-mismatch', 'its domain has chainId 42161 instead of 31337');
  });

  it('signed for another version of the domain', async () => {
    expectRefused(await server.signAndSend(await server.claimerMessage(), first!, { version: '1.0.1' }), 'signer-mismatch', 'ProtocolService 1.0.0');
  });

  it('changed after it was signed', async () => {
    const body = await server.sign(await server.claimerMessage(), first!);
    expectRefused(await server.post('claimer', { ...body, claimer: second!.address }), 'signer-mismatch');
  });

  it.each(['enter', 'exit', 'commission', 'claimer', 'report'] as const)('to %s, of a signer that is not a node', async (kind) => {
    const expired = await later(3_600);
    const unsignedMessages: Record<UnsignedMessage['kind'], UnsignedMessage> = {
      enter: { kind: 'enter', replaced_node: zeroAddress, expired_at: expired },
      exit: { kind: 'exit', expired_at: expired },
      commission: { kind: 'commission', commission_rate: 100, expired_at: expired },
      claimer: await server.claimerMessage(),
      report: report(),
    };
    expectRefused(await server.signAndSend(unsignedMessages[kind], stranger), 'signer-unregistered', 'is not a node');
  });

  it('to enter, of a node that is in the set', async () => {
    expectRefused(await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: await later(3_600) }, first!), 'already-active');
  });

  it('to enter a full set in the place of a node that is as heavy', async () => {
    const answer = await server.signAndSend({ kind: 'enter', replaced_node: first!.address, expired_at: await later(3_600) }, third!);
    expectRefused(answer, 'replaced-too-heavy', 'weight of 2 against your 2');
  });

  it('to enter a full set in the place of nobody, or of a node outside of it', async () => {
    expectRefused(await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: await later(3_600) }, third!), 'replaced-not-active', 'does not name a node to replace');
    expectRefused(await server.signAndSend({ kind: 'enter', replaced_node: light!.address, expired_at: await later(3_600) }, third!), 'replaced-not-active');
  });

  it('to exit, of a node outside of the set', async () => {
    expectRefused(await server.signAndSend({ kind: 'exit', expired_at: await later(3_600) }, third!), 'not-active');
  });

  it('with the commission 10001', async () => {
    expectRefused(await server.signAndSend({ kind: 'commission', commission_rate: 10_001, expired_at: await later(3_600) }, first!), 'commission-too-large', '100.01 %');
  });

  it('that raises the commission by more than 5 % at once', async () => {
    expectRefused(await server.signAndSend({ kind: 'commission', commission_rate: 501, expired_at: await later(3_600) }, first!), 'commission-step-too-large', '5.01 %', 'Sign at most 500');
  });

  it('that sets the commission of a node that never entered', async () => {
    expectRefused(await server.signAndSend({ kind: 'commission', commission_rate: 100, expired_at: await later(3_600) }, third!), 'signer-unregistered', 'Enter first');
  });

  it('that reports at an index out of range', async () => {
    expectRefused(await server.signAndSend(report({ index: 2 }), reporter()), 'index-invalid', 'beyond the list of 2', 'index of node 1 is 0');
  });

  it('that reports at the place of another node', async () => {
    expectRefused(await server.signAndSend(report({ index: 1 }), reporter()), 'index-invalid', 'is the index of node');
  });

  it('that reports on an unknown attestation', async () => {
    expectRefused(await server.signAndSend(report({ attestation_id: `0x${'ab'.repeat(32)}` }), reporter()), 'attestation-unknown');
  });

  it('that reports a result which is none', async () => {
    expectRefused(await server.signAndSend(report({ result: 3 }), reporter()), 'result-invalid');
  });

  it('that reports for a node that never entered', async () => {
    expectRefused(await server.signAndSend(report(), third!), 'not-chosen', 'never entered the active set');
  });

  it('of 1 MB, without reading it', async () => {
    expectRefused(await server.post('claimer', `{"claimer":"${'a'.repeat(1_000_000)}"}`), 'too-large', '16384 bytes');
  });

  it('that is a JSON bomb', async () => {
    expectRefused(await server.post('claimer', '['.repeat(10_000)), 'malformed-request', 'nested');
    expectRefused(await server.post('claimer', `{"claimer":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`), 'malformed-request');
  });

  it('with another content type, or a query', async () => {
    expectRefused(await server.send('POST', '/explorer/send_tx_node_exit', 'x', { ...requiredHeaders, 'content-type': 'text/plain' }), 'unsupported-media-type');
    expectRefused(await server.send('POST', '/explorer/send_tx_node_exit?v=1', {}, requiredHeaders), 'unknown-parameter');
  });

  it('and nothing of all this left a row', async () => {
    expect(await server.countRows()).toBe(0);
  });
});

describe('a path or method that does not exist', () => {
  it('is answered 404 or 405 with error', async () => {
    const unknown = await server.send<Refusal>('POST', '/explorer_alphanet/send_tx_node_leave', {}, requiredHeaders);
    expect([unknown.status, unknown.body.reason]).toEqual([404, 'not-found']);
    const wrong = await server.send<Refusal>('GET', '/explorer_alphanet/send_tx_node_exit');
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.reason]).toEqual([405, 'POST', 'method-not-allowed']);
    for (const { body } of [unknown, wrong]) expect(body.error).toBe(body.message);
  });
});

describe('a report after the deadline', () => {
  it('is refused', async () => {
    await server.chain.increaseTime(31 * 60);
    server.moveClock(31 * 60);
    expectRefused(await server.signAndSend(report(), reporter()), 'report-deadline-passed', 'passed');
  });
});
