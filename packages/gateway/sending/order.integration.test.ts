import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import { signOperation } from '@vouch/chain/messages/sign';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { testAccount } from '@vouch/chain/testing/testChain';
import { getBlock, getNonce } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { encodeAlone } from '../calls/arrangeCalls.ts';
import { toHex } from '../requests/storedOperation.ts';
import { listQueued } from '../batching/claimStore.ts';
import { findLeftBatches } from '../batching/findLeftBatches.ts';
import { abandonBatch, noteBroadcast, listLiveBatches, storeMaintenance, type MaintenanceBatch } from './batchStore.ts';
import { createLaneSigner } from './laneSigner.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc, refused } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const ends = ['confirmed', 'failed', 'expired'] as const;
let gateway: TestGateway;
afterEach(() => gateway.close());

exhaustiveTest('two relayers share the load, and what one signer sent stays in its order', async () => {
  gateway = await openTestGateway({ operators: 6 });
  const { chain } = gateway;
  const second = testAccount(3);
  await chain.setBalance(second.address, 10n ** 20n);
  const expiredAt = await gateway.expiry();
  gateway.start({ keys: [chain.relayer.privateKey, second.privateKey], settings: { batch_window_ms: 0, batch_max_operations: 2 } });
  const ids = await gateway.submitMany(chain.operators.flatMap((account) => [
    { account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt } },
    { account, operation: { kind: 'commission' as const, commissionRate: 300, expiredAt } },
    { account, operation: { kind: 'exit' as const, expiredAt } },
    { account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt: expiredAt + 1n } },
  ]));
  const rows = await gateway.ended(ids);
  expect(rows.map(({ state, reason }) => `${state} ${reason ?? ''}`)).toEqual(ids.map(() => 'confirmed '));
  const { rows: relayers } = await gateway.database.query(`select distinct relayer from gateway_batches where state = 'confirmed'`);
  expect(relayers).toHaveLength(2);
});

test('a change holds the next change of its node for another relayer until its block is final: a reorganization may lose both transactions', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain: { operators: [account], relayer: { address } }, database, deployment } = gateway;
  const expiredAt = await gateway.expiry();
  const pipeline = gateway.start({ settings: { batch_window_ms: 0, confirmations: 5 } });
  const enter = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([enter], ['mined'], 3);
  await pipeline.close();
  const exit = await gateway.submit(account!, { kind: 'exit', expiredAt });
  const { rows: [batch] } = await database.query<{ number: string }>('select block_number as number from gateway_batches');
  const mined = Number(batch!.number);
  const block = await getBlock(gateway.chain.rpc, mined);
  const claimable = async (relayer: Hex, finalBlock: number, blocks = [block!]): Promise<string[]> =>
    (await listQueued(database, { deployment, relayer }, 10, { view: { head: blocks[0]!, blocks }, finalBlock })).map(({ requestId }) => requestId);
  const other = testAccount(3).address;
  expect([await claimable(address, mined - 1), await claimable(other, mined - 1), await claimable(other, mined)]).toEqual([[exit], [], [exit]]);
  // The relayer of the change is slow and has not noticed the reorganization.
  expect(await claimable(other, mined, [{ ...block!, hash: `0x${'ab'.repeat(32)}` }])).toEqual([]);
});

test('a change whose block left the chain holds the next change of its node for another relayer, however long the relayer of the change has not followed the chain', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain: { operators: [account], rpc }, database, deployment } = gateway;
  const expiredAt = await gateway.expiry();
  const pipeline = gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  const enter = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([enter], ['mined'], 3);
  await pipeline.close();
  const exit = await gateway.submit(account!, { kind: 'exit', expiredAt });
  await gateway.chain.mine(3);
  const head = (await getBlock(rpc, 'latest'))!;
  const other = { deployment, relayer: testAccount(3).address };
  const view = { head, blocks: [head] };
  const claimable = async (answers: RpcClient, at = new Date()): Promise<string[]> => {
    const left = await findLeftBatches(database, answers, other, view, at);
    return (await listQueued(database, other, 10, { view, finalBlock: head.number - 1, left })).map(({ requestId }) => requestId);
  };
  expect(await claimable(rpc)).toEqual([exit]);
  // The chain has another block of that number.
  const branched = interceptRpc(rpc, async ({ method }, pass) => (method === 'eth_getBlockByNumber' ? { ...await pass() as object, hash: `0x${'ab'.repeat(32)}` } : pass()));
  expect(await claimable(branched)).toEqual([]);
  // A relayer that is no longer configured does not hold its signers for ever.
  expect(await claimable(branched, new Date(Date.now() + 2 * 3_600_000))).toEqual([exit]);
});

test('a message that another sender had executed is confirmed once that block is final, and is carried out if a reorganization removes the block', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain: { operators: [account], contracts: { service }, deployer, domain, rpc } } = gateway;
  await gateway.chain.mine(5);
  const expiredAt = await gateway.expiry();
  /** Sends a signed message past the gateway, and then to the gateway. @returns the request id */
  const sendTwice = async (operation: Operation): Promise<string> => {
    const signed = { requestId: '', digest: toHex(digestOf(operation, domainHash(domain))), operation, signer: account!.address, signature: await signOperation(operation, domain, account!.privateKey) };
    const sent = sendTransactions(rpc, [{ to: service, data: encodeAlone(signed), gas: 500_000n }], { key: deployer.privateKey });
    await expect.poll(async () => rpc.ask('txpool_status', [], (answer) => (answer as { pending: Hex }).pending)).toBe('0x1');
    await gateway.mine();
    await sent;
    return gateway.submit(account!, operation);
  };
  const enter = await sendTwice({ kind: 'enter', replacedNode: zeroAddress, expiredAt });
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 3 } });
  await gateway.mine();
  await gateway.followed();
  expect(await gateway.row(enter)).toMatchObject({ state: 'verified' });
  // The block with the transaction of the other sender, and the one after it.
  await rpc.request('anvil_reorg', [2, []]);
  await gateway.mineUntil([enter], ['confirmed', 'failed'], 12);
  expect(await gateway.row(enter)).toMatchObject({ state: 'confirmed', reason_code: null, batch_id: expect.any(String) as string });
  const exit = await sendTwice({ kind: 'exit', expiredAt });
  expect(await gateway.mineUntil([exit], ['confirmed', 'failed'], 12)).toBeGreaterThanOrEqual(3);
  expect(await gateway.row(exit)).toMatchObject({ state: 'confirmed', reason_code: 'message-used', batch_id: null });
});

test('a message that a change of another sender makes impossible fails once that change is final, and with the messages after it takes effect if a reorganization removes the change', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain: { operators: [account], contracts: { service }, rpc } } = gateway;
  await gateway.chain.mine(5);
  const expiredAt = await gateway.expiry();
  const enterAlone = async (): Promise<void> => {
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [zeroAddress] });
    const sent = sendTransactions(rpc, [{ to: service, data, gas: 500_000n }], { key: account!.privateKey });
    await expect.poll(async () => rpc.ask('txpool_status', [], (answer) => (answer as { pending: Hex }).pending)).toBe('0x1');
    await gateway.mine();
    await sent;
  };
  await enterAlone();
  const [enter, exit] = await gateway.submitMany([
    { account: account!, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } }, { account: account!, operation: { kind: 'exit', expiredAt } },
  ]);
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 3 } });
  await expect.poll(async () => (await gateway.row(enter!)).held_code).toBe('already-active');
  await gateway.mine();
  await gateway.followed();
  expect([await gateway.row(enter!), await gateway.row(exit!)]).toMatchObject([{ state: 'verified' }, { state: 'verified' }]);
  await rpc.request('anvil_reorg', [2, []]);
  await gateway.mineUntil([enter!, exit!], ['confirmed', 'failed'], 12);
  expect([await gateway.row(enter!), await gateway.row(exit!)]).toMatchObject([{ state: 'confirmed', reason: null }, { state: 'confirmed', reason: null }]);
  await enterAlone();
  const again = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: expiredAt + 1n });
  expect(await gateway.mineUntil([again], ['confirmed', 'failed'], 12)).toBeGreaterThanOrEqual(3);
  expect(await gateway.row(again)).toMatchObject({ state: 'failed', reason_code: 'already-active' });
});

test('an exit that waits for pending transactions is not overtaken by the enter that follows', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  const [other, account] = gateway.chain.operators;
  const expiredAt = await gateway.expiry();
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  const [pending] = await gateway.submitMany([{ account: other!, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } }]);
  await gateway.reached(pending!, 'sent');
  // The node is not active. Sent in the wrong order, both messages would succeed and leave the node inactive.
  const [exit, enter] = await gateway.submitMany([
    { account: account!, operation: { kind: 'exit', expiredAt } }, { account: account!, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } },
  ]);
  await expect.poll(async () => (await gateway.database.query('SELECT FROM gateway_requests WHERE request_id = $1 AND simulated_at IS NOT NULL', [exit])).rowCount).toBe(1);
  await gateway.mineUntil([exit!, enter!], ['confirmed', 'failed'], 10);
  expect([await gateway.row(exit!), await gateway.row(enter!)]).toMatchObject([{ state: 'failed', reason_code: 'not-active' }, { state: 'confirmed', reason: null }]);
});

exhaustiveTest('a commission that an earlier message is to set waits for that one, and is carried out where that one expires', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  const [first, second] = gateway.chain.operators;
  await gateway.enterAll([first!, second!]);
  const expiredAt = await gateway.expiry();
  const late = (await gateway.expiry()) - 3_601n;
  const commission = (expiry: bigint) => ({ kind: 'commission' as const, commissionRate: 300, expiredAt: expiry });
  const twice = await gateway.submitMany([{ account: first!, operation: commission(expiredAt) }, { account: first!, operation: commission(expiredAt + 1n) }]);
  const instead = await gateway.submitMany([{ account: second!, operation: commission(late) }, { account: second!, operation: commission(expiredAt) }]);
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  await gateway.mineUntil([...twice, ...instead], ['confirmed', 'failed', 'expired'], 12);
  const rows = await gateway.ended([...twice, ...instead]);
  expect(rows.map(({ state, reason_code: code }) => [state, code])).toEqual([
    ['confirmed', null], ['confirmed', 'unchanged'], ['expired', 'deadline-passed'], ['confirmed', null],
  ]);
});

test('two processes with one key: one of them writes, and the other one takes over', async () => {
  gateway = await openTestGateway({ operators: 4 });
  const { chain } = gateway;
  const expiredAt = await gateway.expiry();
  const enter = (place: number) => gateway.submit(chain.operators[place]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  const first = gateway.start({ settings: { batch_window_ms: 0 } });
  gateway.start({ settings: { batch_window_ms: 0 } });
  await gateway.ended(await Promise.all([enter(0), enter(1)]));
  const waiting = await enter(2);
  await first.close();
  const rows = await gateway.ended([waiting, await enter(3)]);
  expect(rows.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
  const { rows: batches } = await gateway.database.query<{ count: number }>(`select count(*)::int as count from gateway_batches where state = 'confirmed'`);
  expect(await getNonce(chain.rpc, chain.relayer.address)).toBe(batches[0]!.count);
});

exhaustiveTest('what would fail only because an older transaction is still on its way waits for that one, once', async () => {
  gateway = await openTestGateway({ automine: false, operators: 3, rules: { maxActiveNodes: 1 } });
  const [leaving, coming, hopeless] = gateway.chain.operators;
  await gateway.enterAll([leaving!]);
  const expiredAt = await gateway.expiry();
  gateway.start({ settings: { batch_window_ms: 0 } });
  const exit = await gateway.submit(leaving!, { kind: 'exit', expiredAt });
  await gateway.reached(exit, 'sent');
  // The active set has one place, which becomes free only when the exit is mined.
  const enter = await gateway.submit(coming!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  const never = await gateway.submit(hopeless!, { kind: 'exit', expiredAt });
  for (;;) {
    const { simulated_at: simulatedAt, state } = await gateway.row(enter);
    if (state === 'failed') throw new Error('it failed although the exit was still on its way');
    if (simulatedAt !== null && state === 'verified') break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await gateway.mineUntil([exit, enter, never], ends, 8);
  expect([(await gateway.row(exit)).state, (await gateway.row(enter)).state]).toEqual(['confirmed', 'confirmed']);
  expect(await gateway.row(never)).toMatchObject({ state: 'failed', reason_code: 'not-active' });
});

exhaustiveTest('bytes that no node takes give their nonce up to an empty transaction, and the operations go out in another', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  const { chain } = gateway;
  let cursed: unknown;
  const rpc = interceptRpc(chain.rpc, ({ method, params }, pass) => {
    if (method !== 'eth_sendRawTransaction') return pass();
    cursed ??= params[0];
    return params[0] === cursed ? Promise.reject(refused(method, 'oversized data')) : pass();
  });
  gateway.start({ settings: { batch_window_ms: 0 }, rpc });
  const expiredAt = await gateway.expiry();
  const first = await gateway.submit(chain.operators[0]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.reached(first, 'sent');
  const follower = await gateway.submit(chain.operators[1]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([first, follower], ends, 16);
  expect([(await gateway.row(first)).state, (await gateway.row(follower)).state]).toEqual(['confirmed', 'confirmed']);
});

test('a batch that would take more gas than one may is cut, and the rest follows in its order', async () => {
  gateway = await openTestGateway({ operators: 8 });
  const expiredAt = await gateway.expiry();
  const ids = await gateway.submitMany(gateway.chain.operators.map((account) => ({ account, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } as const })));
  gateway.start({ settings: { batch_max_gas: 500_000 } });
  const rows = await gateway.ended(ids);
  expect(rows.map(({ state }) => state)).toEqual(ids.map(() => 'confirmed'));
  const { rows: batches } = await gateway.database.query<{ gas: string; limit: string }>('select gas_used as gas, gas_limit as limit from gateway_batches');
  expect(batches.length).toBeGreaterThan(2);
  for (const { gas } of batches) expect(Number(gas)).toBeLessThanOrEqual(500_000);
});

exhaustiveTest('a chain that was set back: what is on its way lands again, and new messages do not wait for blocks that are gone', async () => {
  gateway = await openTestGateway({ automine: false, operators: 3 });
  const { chain } = gateway;
  const expiredAt = await gateway.expiry();
  const enter = (place: number) => gateway.submit(chain.operators[place]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  const snapshot = await chain.rpc.request('evm_snapshot');
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 3 } });
  const before = await enter(0);
  await gateway.reached(before, 'sent');
  await gateway.mineUntil([before], ['mined'], 3);
  for (let block = 0; block < 2; block += 1) await gateway.mine();
  await chain.rpc.request('evm_revert', [snapshot]);
  // A later time at a lower number proves that the chain was set back.
  await gateway.mine();
  const after = await enter(1);
  await gateway.reached(after, 'sent');
  await gateway.mineUntil([before, after], ['confirmed'], 20);
});

test('bytes that were given up may come again, as the very same transaction', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain, database, deployment } = gateway;
  const lane = { deployment, relayer: chain.relayer.address };
  const payload = { to: chain.relayer.address, calldata: '0x' as const };
  const fees = { maxFeeWei: 10n ** 10n, priorityFeeWei: 10n ** 9n };
  const signed = await createLaneSigner(createLocalSigner(chain.relayer.privateKey), chain.chainId, systemInterfaces).sign({ nonce: 0, payload, gasLimit: 21_000n, fees });
  const own = (batchId: string): MaintenanceBatch => ({
    batchId, purpose: 'filler', nonce: 0, payload, gasLimit: 21_000n, transaction: { ...signed, fees, cancels: true, headNumber: 1, at: new Date() },
  });
  expect(await storeMaintenance(database, lane, own('first'))).toBe(true);
  // The unique index refuses a second batch at a nonce that the first batch can still use.
  expect(await storeMaintenance(database, lane, own('second'))).toBe(false);
  await noteBroadcast(database, 'first', signed.hash, new Date());
  await abandonBatch(database, 'first', { reason: 'a test', block: { number: 1, hash: `0x${'0b'.repeat(32)}` }, time: new Date(), at: new Date() });
  expect(await storeMaintenance(database, lane, own('second'))).toBe(true);
  expect(await listLiveBatches(database, lane)).toMatchObject([{ batchId: 'second', state: 'prepared', attempts: [{ hash: signed.hash, broadcastMs: null }] }]);
});

test('a row that nobody can read and one that no transaction can carry hold nobody up', async () => {
  gateway = await openTestGateway({ operators: 3 });
  const expiredAt = await gateway.expiry();
  const ids = await gateway.submitMany(gateway.chain.operators.map((account) => ({ account, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } as const })));
  const [unreadable, broken, good] = ids;
  await gateway.database.query(`update gateway_requests set operation = '{}' where request_id = $1`, [unreadable]);
  await gateway.database.query(`update gateway_requests set operation = jsonb_set(operation, '{replacedNode}', '"0x12"') where request_id = $1`, [broken]);
  gateway.start();
  expect((await gateway.reached(good!, 'confirmed', 'failed')).state).toBe('confirmed');
  expect(await gateway.row(broken!)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^No transaction can carry the message: /) });
  expect((await gateway.row(unreadable!)).state).toBe('verified');
});

test('where the endpoints serve another chain from one moment on, the lanes continue with the rows of that chain', async () => {
  gateway = await openTestGateway({ operators: 1 });
  let name = '31337:0xanother:chain';
  gateway.start({ served: () => name });
  const id = await gateway.submit(gateway.chain.operators[0]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  while ((await gateway.database.query('select 1 from gateway_lines')).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await gateway.row(id)).state).toBe('verified');
  name = gateway.deployment;
  expect((await gateway.ended([id]))[0]!.state).toBe('confirmed');
});
