import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainDelay } from './explainDelay.ts';
import { openGatewayDatabase, shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const deployment = '31337:0xservice:0123456789abcdef';
const relayer = Buffer.alloc(20, 9);
const seenAt = Date.UTC(2026, 0, 1);
let database: TestDatabase;

beforeAll(async () => {
  database = await openGatewayDatabase();
  await database.query(
    `INSERT INTO gateway_batches (batch_id, deployment, relayer, state, nonce, operations, created_at) VALUES ('b', $1, $2, 'sent', 1, 1, now())`, [deployment, relayer]);
  await database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ($1, $2, 'running', $3)`, [deployment, relayer, new Date(seenAt)]);
});
afterAll(() => database.close());

/** The pauses of a queued message and of a message whose transaction was sent. */
async function waits(seconds: number): Promise<(string | null)[]> {
  const now = seenAt + seconds * 1_000;
  return [
    await explainDelay(database, { state: 'verified', deployment, batch_id: null, verified_at: new Date(seenAt) }, now),
    await explainDelay(database, { state: 'sent', deployment, batch_id: 'b', verified_at: new Date(seenAt) }, now),
  ];
}

const write = (code: string | null, reason: string | null = null) => database.query(
  'UPDATE gateway_lines SET state = $1, pause_code = $2, reason = $3', [code === null ? 'running' : 'paused', code, reason]);

it('a chain that is away holds up what was sent too; other reasons only what waits to be sent', async () => {
  await write(null);
  expect(await waits(0)).toEqual([null, null]);
  await write('chain', 'Whatever the sentence is: rpc.example said nothing');
  expect(await waits(0)).toEqual(['The chain cannot be read at the moment.', 'The chain cannot be read at the moment.']);
  await write('signer-unavailable', 'The key cannot sign: Vault transit key x: 10.0.0.9:8200 refuses connections.');
  expect(await waits(0)).toEqual(['The gateway cannot sign transactions at the moment. The message waits until the gateway can sign again.', null]);
  await write('balance', 'The key has 0 ETH and needs 0.010000.');
  expect(await waits(0)).toEqual(['The key has 0 ETH and needs 0.010000.', null]);
});

it('a nonce that the chain used holds up what was sent with it until its receipt is there', async () => {
  await write(null);
  const nonce = (next: number | null) => database.query('UPDATE gateway_lines SET chain_nonce = $1', [next]);
  await nonce(2);
  expect(await waits(0)).toEqual([null, `The chain has used nonce 1 of the relayer key 0x${'09'.repeat(20)}, but no endpoint returns the receipt of the transaction yet.`]);
  await nonce(1);
  expect(await waits(0)).toEqual([null, null]);
});

it('a message whose batch is being signed waits like a queued one', async () => {
  await write('signer-unavailable', 'The key cannot sign: Vault transit key x: 10.0.0.9:8200 refuses connections.');
  const claimed = { state: 'verified', deployment, batch_id: 'composed', verified_at: new Date(seenAt) } as const;
  expect(await explainDelay(database, claimed, seenAt)).toBe('The gateway cannot sign transactions at the moment. The message waits until the gateway can sign again.');
});

it('a pause without a code, which a process of an earlier version wrote, never shows what an endpoint said', async () => {
  await database.query(`UPDATE gateway_lines SET state = 'paused', pause_code = null, reason = 'The chain cannot be read: rpc.example said nothing'`);
  expect(await waits(0)).toEqual(['The chain cannot be read at the moment.', 'The chain cannot be read at the moment.']);
});

it('a key that no gateway runs with any more holds up what it sent, and the queue where it is the only one', async () => {
  await write(null);
  expect(await waits(119)).toEqual([null, null]);
  expect(await waits(121)).toEqual([
    'No transaction has been sent since 2026-01-01T00:00:00.000Z: no gateway runs with a relayer key, or the chain cannot be reached.',
    `No gateway has followed the transaction of this message since 2026-01-01T00:00:00.000Z: no gateway runs with the relayer key 0x${'09'.repeat(20)}, which sent the transaction.`,
  ]);
  await database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ($1, $2, 'running', $3)`, [deployment, Buffer.alloc(20, 1), new Date(seenAt + 121_000)]);
  expect((await waits(121))[0]).toBeNull();
});

it('a message with an ending in a block that is not final waits for that block, unless no key looks at it', async () => {
  const held = (code: string) => explainDelay(database, { state: 'verified', deployment, batch_id: null, verified_at: new Date(seenAt), held_block: '7', held_code: code }, seenAt);
  await write('balance', 'The key has 0 ETH and needs 0.010000.');
  await database.query('DELETE FROM gateway_lines WHERE relayer <> $1', [relayer]);
  expect(await held('message-used')).toBe('The key has 0 ETH and needs 0.010000.');
  await write(null);
  const rest = 'The message ends when that block is final; if a reorganization removes the block, the gateway judges the message again.';
  expect([await held('message-used'), await held('unchanged'), await held('not-active')]).toEqual([
    `In the state of block 7, the contract has executed this message in a transaction of another sender. ${rest}`,
    `In the state of block 7, the chain already has the value that this message sets. ${rest}`,
    `In the state of block 7, the contract would reject this message (not-active). ${rest}`,
  ]);
});

it('nothing holds up what has ended', async () => {
  expect(await explainDelay(database, { state: 'confirmed', deployment, batch_id: 'b', verified_at: new Date(seenAt) }, seenAt + 1e6)).toBeNull();
});

it('one for a contract that is not served any more waits for that, not for a key', async () => {
  const served = '31337:0xother:0123456789abcdef';
  const before = '31337:0xbefore:0123456789abcdef';
  await write('signer-unavailable', 'The key cannot sign: Vault transit key x: 10.0.0.9:8200 refuses connections.');
  expect(await waits(0)).toEqual(['The gateway cannot sign transactions at the moment. The message waits until the gateway can sign again.', null]);
  await write('balance', 'The key has 0 ETH and needs 0.010000.');
  await database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ($1, $2, 'running', $3)`, [served, relayer, new Date(seenAt + 300_000)]);
  const which = (name: string): string => `The message was accepted for ${name}, but the gateway now serves ${served}: the gateway`;
  expect(await waits(301)).toEqual([
    `${which(deployment)} sends this message only if it serves the first deployment again. Sign a new message for the current deployment.`,
    `${which(deployment)} follows the transaction of this message only if it serves the first deployment again.`,
  ]);
  expect(await explainDelay(database, { state: 'verified', deployment: before, batch_id: null, verified_at: new Date(seenAt) }, seenAt + 301_000)).toContain(which(before));
  // Another gateway may serve the deployment too.
  expect(await waits(100)).toEqual(['The key has 0 ETH and needs 0.010000.', null]);
});

it('one for a deployment that this gateway serves waits for its own keys, also while those of another deployment send', async () => {
  const message = { state: 'verified', deployment, batch_id: null, verified_at: new Date(seenAt) } as const;
  await database.query('DELETE FROM gateway_lines WHERE deployment <> $1', [deployment]);
  await database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ('4242:0xother:0123456789abcdef', $1, 'running', $2)`, [relayer, new Date(seenAt + 900_000)]);
  const ask = (serves: (name: string) => boolean) => explainDelay(database, message, seenAt + 901_000, serves);
  expect(await ask(() => false)).toContain('the gateway now serves 4242:0xother:0123456789abcdef');
  expect(await ask((name) => name === deployment)).toMatch(/^No transaction has been sent since .*: no gateway runs with a relayer key, or the chain cannot be reached\.$/);
});

it('one that no key ever looked at waits for a key', async () => {
  const accepted = Date.UTC(2026, 0, 2);
  const message = { state: 'verified', deployment: '1:0xnobody:0', batch_id: null, verified_at: new Date(accepted) } as const;
  expect(await explainDelay(database, message, accepted + 119_000)).toBeNull();
  expect(await explainDelay(database, message, accepted + 121_000)).toBe(
    'The message was accepted at 2026-01-02T00:00:00.000Z and has not been sent since: no gateway runs with a relayer key that can be opened, or the chain cannot be reached.');
});
