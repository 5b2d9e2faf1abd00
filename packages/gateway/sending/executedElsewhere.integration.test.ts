import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeAlone } from '../calls/arrangeCalls.ts';
import { toHex } from '../requests/storedOperation.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const settings = { batch_window_ms: 0, confirmations: 3 };
const expiresInSeconds = 120n;
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  await gateway.chain.mine(5);
});
afterEach(() => gateway.close());

async function enter(): Promise<Operation> {
  return { kind: 'enter', replacedNode: zeroAddress, expiredAt: (await gateway.expiry()) - 3_600n + expiresInSeconds };
}

/** Lets another account execute the message of the first operator, in a block of its own. */
async function executeElsewhere(operation: Operation): Promise<void> {
  const { operators: [account], contracts: { service }, deployer, domain, rpc } = gateway.chain;
  const signed = { requestId: '', digest: toHex(digestOf(operation, domainHash(domain))), operation, signer: account!.address, signature: await signOperation(operation, domain, account!.privateKey) };
  const sent = sendTransactions(rpc, [{ to: service, data: encodeAlone(signed), gas: 500_000n }], { key: deployer.privateKey });
  await expect.poll(async () => rpc.ask('txpool_status', [], (answer) => (answer as { pending: Hex }).pending)).toBe('0x1');
  await gateway.mine();
  await sent;
}

test('a queued message past its deadline that another sender had executed is confirmed once that block is final; a message that nobody executed expires', async () => {
  const { chain } = gateway;
  await chain.setBalance(chain.relayer.address, 0n);
  gateway.start({ settings });
  const [operation, other] = [await enter(), await enter()];
  const ids = await gateway.submitMany([{ account: chain.operators[0]!, operation }, { account: chain.operators[1]!, operation: other }]);
  await executeElsewhere(operation);
  await chain.increaseTime(Number(expiresInSeconds) + 60);
  await gateway.mine();
  await gateway.followed();
  expect((await gateway.row(ids[0]!)).state).toBe('verified');
  await gateway.mineUntil(ids, ['confirmed', 'failed', 'expired'], 8);
  expect(await Promise.all(ids.map(async (id) => gateway.row(id)))).toMatchObject([{ state: 'confirmed', reason_code: 'message-used' }, { state: 'expired', reason_code: 'deadline-passed' }]);
});

test('a message whose own transaction comes after the deadline, and which another sender had executed before, is confirmed', async () => {
  const { chain, database } = gateway;
  const operation = await enter();
  const pipeline = gateway.start({ settings });
  const id = await gateway.submit(chain.operators[0]!, operation);
  await gateway.reached(id, 'sent');
  await pipeline.close();
  await chain.rpc.request('anvil_dropAllTransactions', []);
  await executeElsewhere(operation);
  const { rows: [attempt] } = await database.query<{ raw: Buffer }>('select raw from gateway_attempts');
  await chain.increaseTime(Number(expiresInSeconds) + 60);
  await chain.rpc.request('eth_sendRawTransaction', [toHex(attempt!.raw)]);
  gateway.start({ settings });
  await gateway.mineUntil([id], ['confirmed', 'failed', 'expired'], 10);
  expect(await gateway.row(id)).toMatchObject({ state: 'confirmed', reason_code: 'message-used' });
});
