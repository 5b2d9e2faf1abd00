import type { Hex } from '@vouch/chain/messages/operation';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listBatches } from './batchRecords.ts';
import { describeRequest } from './requestRecord.ts';
import { insertRequests, type NewRequest } from '../requests/requestStore.ts';
import { openGatewayDatabase, shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const deployment = '31337:0xservice:0123456789abcdef';
const ofDeployment = { of: deployment, except: [] };
let database: TestDatabase;

beforeAll(async () => {
  database = await openGatewayDatabase();
});
afterAll(() => database.close());

let made = 0;

async function store(): Promise<string> {
  const requestId = `gw_${made++}`;
  const at = new Date('2026-01-01T00:00:00Z');
  const request: NewRequest = {
    requestId, operation: { kind: 'exit', expiredAt: BigInt(made) }, digest: Buffer.alloc(32, made), signer: Buffer.alloc(20, 1),
    signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` }, client: { origin: null, user_agent: null, app_id: null, dialect: 'documented' },
    deadline: at, receivedAt: at, verifiedAt: at, verifiedBlock: 1, unchanged: null,
  };
  await insertRequests(database, deployment, [request]);
  return requestId;
}

const hash = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`;

async function addBatch(batchId: string, requestIds: readonly string[], changes: { state?: string; mined?: Hex } = {}): Promise<void> {
  await database.query(
    `INSERT INTO gateway_batches (batch_id, deployment, relayer, state, nonce, operations, created_at, transaction_hash, gas_used, gas_alone)
     VALUES ($1, $2, $3, $4, $7, $5, now(), $6, 120000, 169000)`,
    [batchId, deployment, Buffer.alloc(20, 9), changes.state ?? 'sent', requestIds.length, changes.mined === undefined ? null : Buffer.from(changes.mined.slice(2), 'hex'), made],
  );
  for (const [position, requestId] of requestIds.entries()) {
    await database.query('INSERT INTO gateway_members (batch_id, position, request_id) VALUES ($1, $2, $3)', [batchId, position, requestId]);
  }
}

async function addAttempt(batchId: string, transactionHash: Hex, feeGwei: number, seconds: number): Promise<void> {
  await database.query(
    `INSERT INTO gateway_attempts (transaction_hash, batch_id, nonce, raw, max_fee_wei, priority_fee_wei, head_number, created_at, broadcast_at)
     VALUES ($1, $2, 4, '', $3::numeric * 1000000000, 1, 1, $4, $4)`,
    [Buffer.from(transactionHash.slice(2), 'hex'), batchId, feeGwei, new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))],
  );
}

describe('the record of a request', () => {
  it('names every transaction that carried it, replacements too, and which of them was mined', async () => {
    const id = await store();
    await addBatch('b1', [id], { state: 'abandoned' });
    await addAttempt('b1', hash(1), 2, 1);
    await addBatch('b2', [id], { state: 'mined', mined: hash(3) });
    await addAttempt('b2', hash(2), 2, 2);
    await addAttempt('b2', hash(3), 2.25, 3);
    const { transactions } = await describeRequest(database, id, Date.now());
    expect(transactions.map(({ transaction_hash: name, batch_id: batch, max_fee_gwei: fee, mined }) => [name, batch, fee, mined])).toEqual([
      [hash(1), 'b1', '2', false], [hash(2), 'b2', '2', false], [hash(3), 'b2', '2.25', true],
    ]);
  });

  it('shows the gas that it used, what it would have used alone, and how the difference is made', async () => {
    const id = await store();
    await database.query('UPDATE gateway_requests SET gas_used = 60000, cost_wei = 123456789012345678901 WHERE request_id = $1', [id]);
    const { gas } = await describeRequest(database, id, Date.now());
    expect(gas).toMatchObject({ used: 60_000, saved: (gas?.alone ?? 0) - 60_000, cost_wei: '123456789012345678901' });
    expect(gas?.formula).toContain(`alone = ${gas?.alone}`);
  });

  it('says what it waits for where no key sends anything, and not what endpoints said', async () => {
    const id = await store();
    expect((await describeRequest(database, id, Date.UTC(2026, 0, 1))).waits_for).toBeNull();
    expect((await describeRequest(database, id, Date.now())).waits_for).toMatch(/^The message was accepted at 2026-01-01T00:00:00.000Z and has not been sent since/);
    const pause = async (relayer: number, code: string | null, reason: string | null): Promise<void> => void await database.query(
      `INSERT INTO gateway_lines (deployment, relayer, state, pause_code, reason, updated_at) VALUES ($1, $2, $3, $4, $5, now())
       ON CONFLICT (deployment, relayer) DO UPDATE SET state = excluded.state, pause_code = excluded.pause_code, reason = excluded.reason`,
      [deployment, Buffer.alloc(20, relayer), code === null ? 'running' : 'paused', code, reason]);
    await pause(1, 'balance', 'The key has 0.000001 ETH and needs 0.010000.');
    expect((await describeRequest(database, id, Date.now())).waits_for).toBe('The key has 0.000001 ETH and needs 0.010000.');
    await pause(1, 'chain', 'The chain cannot be read: rpc.example said nothing');
    expect((await describeRequest(database, id, Date.now())).waits_for).toBe('The chain cannot be read at the moment.');
    await pause(2, null, null);
    expect((await describeRequest(database, id, Date.now())).waits_for).toBeNull();
  });
});

describe('the list of batches', () => {
  it('is given page by page, newest first, each batch once', async () => {
    for (let at = 0; at < 5; at++) await addBatch(`page${at}`, [await store()]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { batches, next }: Awaited<ReturnType<typeof listBatches>> = await listBatches(database, ofDeployment, 2, cursor);
      seen.push(...batches.map(({ batch_id: id }) => id));
      cursor = next;
    } while (cursor !== null);
    expect(seen).toEqual(['page4', 'page3', 'page2', 'page1', 'page0', 'b2', 'b1']);
    expect((await listBatches(database, ofDeployment, 1, null)).batches[0]).toMatchObject({ gas_saved: 49_000, operations: 1 });
    for (const strange of ['x', '1-', '99999999999999999999-b', '9-b', "1'-b"]) expect((await listBatches(database, ofDeployment, 100, strange)).batches.length).toBeLessThanOrEqual(7);
  });
});
