import assert from 'node:assert/strict';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { expectStatus } from '@vouch/platform/conformance/client';
import { uniqueName, type ConformanceRow } from '@vouch/platform/conformance/context';
import type { DevnetAccount } from '@vouch/chain/devnet/devnetFile';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { Envelope } from './client.ts';
import { chainRow, expectRefusal, type Chain, type Fixture } from './fixture.ts';
import type { UnsignedMessage } from './signMessage.ts';

/** Maximum number of attestations to create until the shared node is chosen. */
const attestationsMost = 40;

/** Creates an attestation for which the shared node is chosen, and returns a report of that attestation. */
async function reportOf({ rpc, facts, node, context }: Fixture & Chain): Promise<UnsignedMessage & { kind: 'report' }> {
  for (let turn = 0; turn < attestationsMost; turn++) {
    const text = uniqueName(context, 'attestation');
    const { attestationIds: [id], chosen } = await reportAttestations(rpc, facts.contracts, [text], { key: facts.owner.privateKey });
    const index = chosen.indexOf(node.address);
    if (index >= 0 && id !== undefined) return { kind: 'report', attestation_id: id, result: 0, index };
  }
  throw new Error('the node was never chosen');
}

/** Checks that a message with another primary type is refused, and that the same message with the published type is confirmed. */
async function expectType(fixture: Fixture & Chain, unsigned: UnsignedMessage, account: DevnetAccount): Promise<string> {
  const { client, sign } = fixture;
  expectRefusal(await client.post(unsigned.kind, await sign(unsigned, account, {}, { primaryType: 'SomeOtherData' })), 'not of the signer');
  const reply = expectStatus(await client.post(unsigned.kind, await sign(unsigned, account)), 200);
  const requestId = reply.headers.get('location')?.split('/').at(-1) ?? '';
  const record = await client.untilEnd(requestId);
  assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
  return requestId;
}

/** Rows about typed data: the domain, the five types and their values. */
export const typedDataRows: readonly ConformanceRow[] = [
  chainRow('M1', 'a domain with a further field is rejected; a domain with these three fields is accepted', async ({ client, node, sign, newClaimer }) => {
    const unsigned = await newClaimer();
    expectRefusal(await client.post('claimer', await sign(unsigned, node, {}, { domainFields: { salt: 'more' } })), 'not of the signer');
    expectStatus(await client.post('claimer', await sign(unsigned, node)), 200);
  }),
  chainRow('M2', 'a different name, version or chain id is rejected; those of the configuration are accepted', async ({ client, node, sign, newClaimer }) => {
    const unsigned = await newClaimer();
    for (const domain of [{ name: 'Other' }, { version: '2.0.0' }, { chainId: 1n }]) {
      // Chain id 1 is a common mistake, which the answer names in a sentence of its own.
      expectRefusal(await client.post('claimer', await sign(unsigned, node, domain)), 'of the signer');
    }
    expectStatus(await client.post('claimer', await sign(unsigned, node)), 200);
  }),
  chainRow('M3', 'a different type is rejected; with this type, the node enters', async (fixture) => {
    const account = await fixture.newOperator();
    await expectType(fixture, { kind: 'enter', replaced_node: zeroAddress, expired_at: await fixture.soon() }, account);
    assert.equal((await fixture.nodeState(account)).active, true);
  }),
  chainRow('M4', 'a different type is rejected; with this type, the node exits', async (fixture) => {
    const account = await fixture.newNode();
    await expectType(fixture, { kind: 'exit', expired_at: await fixture.soon() }, account);
    assert.equal((await fixture.nodeState(account)).active, false);
  }),
  chainRow('M5', 'a different type is rejected; with this type, 300 sets the commission to 3 %', async (fixture) => {
    const account = await fixture.newNode();
    const unsigned = { kind: 'commission', commission_rate: 300, expired_at: await fixture.soon() } as const;
    expectRefusal(await fixture.client.post('commission', await fixture.sign({ ...unsigned, commission_rate: 10_001 }, account)), '100.01 %');
    await expectType(fixture, unsigned, account);
    assert.equal((await fixture.nodeState(account)).commissionRate, 300);
  }),
  chainRow('M6', 'a different type is rejected; with this type, the claimer receives the rewards', async (fixture) => {
    const unsigned = await fixture.newClaimer();
    await expectType(fixture, unsigned, fixture.second);
    assert.equal((await fixture.nodeState(fixture.second)).claimer, unsigned.claimer);
  }),
  chainRow('M7', 'a different type is rejected; with this type, the report is confirmed', async (fixture) => {
    await expectType(fixture, await reportOf(fixture), fixture.node);
  }),
  chainRow('M8', 'a body with a field that differs from the signed message is rejected, for each field', async (fixture) => {
    const { client, node, sign } = fixture;
    const [claimer, report] = [await fixture.newClaimer(), await reportOf(fixture)];
    const ofClaimer = await sign(claimer, node);
    for (const changes of [{ claimer: zeroAddress }, { expired_at: claimer.expired_at + 1 }]) {
      expectRefusal(await client.post('claimer', { ...ofClaimer, ...changes }), 'not of the signer');
    }
    const ofReport = await sign(report, node);
    for (const changes of [{ result: 1 }, { index: report.index + 1 }, { attestation_id: `0x${'ab'.repeat(32)}` }]) {
      expectRefusal(await client.post('report', { ...ofReport, ...changes }), 'not of the signer');
    }
    expectStatus(await client.post('claimer', ofClaimer), 200);
  }),
  chainRow('M9', 'decimal strings and numbers give the same signature, and the message is accepted', async (fixture) => {
    const { client, node, sign } = fixture;
    const report = await reportOf(fixture);
    const body = await sign(report, node, {}, { numbersAsText: true });
    assert.deepEqual(body, await sign(report, node));
    expectStatus(await client.post('report', body), 200);
  }),
  chainRow('G20', 'code 0, msg ok, data null', async (fixture) => {
    const reply = expectStatus(await fixture.client.post('report', await fixture.sign(await reportOf(fixture), fixture.node)), 200);
    assert.deepEqual(reply.json<Envelope>(), { code: 0, msg: 'ok', data: null });
  }),
];
