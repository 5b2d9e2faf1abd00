import assert from 'node:assert/strict';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { privateKeyToAccount } from 'viem/accounts';
import { parseSignature } from 'viem';
import { messageHeaders, type Envelope } from './client.ts';
import { expectRefusal, noNode, row, type Fixture } from './fixture.ts';
import { wishPaths, type Wish } from './signWish.ts';

const endpoints = 'Endpoints / Signed-message gateway';
const messages = 'Resources / Typed-data messages';

/** Fields of each body beside signer, v, r and s. */
const fields: Readonly<Record<Wish['kind'], readonly string[]>> = {
  enter: ['replaced_node', 'expired_at'],
  exit: ['expired_at'],
  commission: ['commission_rate', 'expired_at'],
  claimer: ['claimer', 'expired_at'],
  report: ['attestation_id', 'result', 'index'],
};
const kinds = Object.keys(fields) as Wish['kind'][];
const claimer = `0x${'c1'.repeat(20)}` as const;
/** Where the chosen node is not ours, there is another attestation. */
const attestationsMost = 20;

async function sampleOf(kind: Wish['kind'], { soon }: Fixture): Promise<Wish> {
  const expired = await soon();
  switch (kind) {
    case 'enter': return { kind, replaced_node: noNode, expired_at: expired };
    case 'exit': return { kind, expired_at: expired };
    case 'commission': return { kind, commission_rate: 300, expired_at: expired };
    case 'claimer': return { kind, claimer, expired_at: expired };
    case 'report': return { kind, attestation_id: `0x${'ab'.repeat(32)}`, result: 0, index: 0 };
  }
}

/** An attestation for which the shared node is chosen, and its place. */
async function attest({ rpc, facts, node, entered }: Fixture): Promise<{ id: `0x${string}`; index: number }> {
  for (let turn = 0; turn < attestationsMost; turn++) {
    const text = `an attestation for ${entered.request_id}, ${turn}`;
    const { attestationIds: [id], chosen } = await reportAttestations(rpc, facts.contracts, [text], { key: facts.owner.privateKey });
    const index = chosen.indexOf(node.address);
    if (index >= 0 && id !== undefined) return { id, index };
  }
  throw new Error('the node was never chosen');
}

/** The five messages: paths, headers, fields, types and what each of them does. */
export const messageRows: readonly ConformanceRow[] = [
  ...kinds.map((kind) => row(endpoints, `${wishPaths[kind].slice(1)} is a POST under /explorer_alphanet`, async ({ client }) => {
    expectStatus(await client.send('GET', `/explorer_alphanet${wishPaths[kind]}`), 405);
    expectRefusal(await client.post(kind, {}));
  })),
  ...Object.keys(messageHeaders).map((name) => row(endpoints, `the header ${name} is required`, async (fixture) => {
    const body = await fixture.sign(await sampleOf('claimer', fixture), fixture.node);
    const { [name]: _, ...others } = messageHeaders as Record<string, string>;
    expectRefusal(await fixture.client.post('claimer', body, others), 'header');
    expectRefusal(await fixture.client.post('claimer', body, { ...others, [name]: '' }), 'header');
  })),
  ...kinds.map((kind) => row(endpoints, `${wishPaths[kind].slice(1)} requires signer, v, r, s, ${fields[kind].join(', ')}`, async (fixture) => {
    const body = await fixture.sign(await sampleOf(kind, fixture), fixture.node);
    for (const name of ['signer', 'v', 'r', 's', ...fields[kind]]) {
      const { [name]: _, ...rest } = body;
      expectRefusal(await fixture.client.post(kind, rest), `${name} is required`);
      expectRefusal(await fixture.client.post(kind, { ...body, [name]: {} }), name);
    }
  })),
  row(messages, 'NodeSetRewardClaimerData sets who receives the rewards', async ({ carryOut, nodeState, node, soon }) => {
    const record = await carryOut({ kind: 'claimer', claimer, expired_at: await soon() }, node);
    assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
    assert.equal((await nodeState(node)).claimer, claimer);
  }),
  row(messages, 'NodeModifyCommissionRateData changes the commission, in hundredths of a percent', async ({ carryOut, nodeState, node, soon }) => {
    const record = await carryOut({ kind: 'commission', commission_rate: 300, expired_at: await soon() }, node);
    assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
    assert.equal((await nodeState(node)).commissionRate, 300);
  }),
  row(messages, 'VerificationData reports a result; the answer has data null', async (fixture) => {
    const { client, node, sign, facts } = fixture;
    const { id, index } = await attest(fixture);
    const reply = expectStatus(await client.post('report', await sign({ kind: 'report', attestation_id: id, result: 0, index }, node)), 200);
    assert.deepEqual(reply.json<Envelope>(), { code: 0, msg: 'ok', data: null });
    const record = await client.untilEnd(reply.headers.get('location')?.split('/').at(-1) ?? '');
    assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
    assert.ok(record.deployment.includes(facts.contracts.service));
  }),
  row(messages, 'the domain has name, version and chainId as configured', async (fixture) => {
    const { client, sign, node } = fixture;
    const wish = await sampleOf('claimer', fixture);
    for (const domain of [{ name: 'Other' }, { version: '2.0.0' }, { chainId: 1n }]) {
      expectRefusal(await client.post('claimer', await sign(wish, node, domain)), 'not of the signer');
    }
  }),
  row(messages, 'numbers of the typed data are given as decimal text, or as numbers: both sign the same', async (fixture) => {
    const { facts, node, soon, sign, client } = fixture;
    const expired = await soon();
    const signature = await privateKeyToAccount(node.privateKey).signTypedData({
      domain: { ...facts.domain },
      types: { NodeModifyCommissionRateData: [{ name: 'commissionRate', type: 'uint32' }, { name: 'expiredAt', type: 'uint256' }] },
      primaryType: 'NodeModifyCommissionRateData',
      // The library's types want numbers, and its encoder takes text as other libraries do.
      message: JSON.parse(`{"commissionRate":"301","expiredAt":"${expired}"}`) as { commissionRate: number; expiredAt: bigint },
    });
    const body = await sign({ kind: 'commission', commission_rate: 301, expired_at: expired }, node);
    assert.equal(parseSignature(signature).r, `0x${body['r']}`);
    // Understood, and refused for another reason: the commission was changed a moment ago.
    const reply = await client.post('commission', body);
    if (reply.status !== 200) expectRefusal(reply, 'commission was changed');
  }),
];
