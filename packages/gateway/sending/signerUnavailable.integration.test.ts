import { testAccount } from '@vouch/chain/testing/testChain';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

// Faults of a signing service: no accepted message may be lost, other keys continue, and the lane's state explains the pause.

const settings = { batch_window_ms: 0 };
let gateway: TestGateway;
afterEach(() => gateway.close());

async function enterBy(place: number): Promise<string> {
  const expiredAt = await gateway.expiry();
  return gateway.submit(gateway.chain.operators[place]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt });
}

interface LaneState {
  state: string;
  pause_code: string | null;
  reason: string | null;
}

async function untilPaused(code: string): Promise<LaneState> {
  for (;;) {
    const { rows } = await gateway.database.query<LaneState>('select state, pause_code, reason from gateway_lines where pause_code = $1', [code]);
    if (rows[0] !== undefined) return rows[0];
    await systemInterfaces.timers.sleep(30);
  }
}

/** A signer whose service fails as `failing` returns; null means that the service works. */
function faultySigner(privateKey: `0x${string}`, failing: () => Error | 'hangs' | null): { signer: Signer; asked(): number } {
  const right = createLocalSigner(privateKey);
  let asked = 0;
  return {
    asked: () => asked,
    signer: {
      ...right,
      async signTransaction(transaction, signal) {
        asked += 1;
        const fault = failing();
        if (fault === 'hangs') await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
        if (fault instanceof Error) throw fault;
        return right.signTransaction(transaction, signal);
      },
    },
  };
}

const away = new SignerFault('unreachable', 'Vault transit key x: 10.0.0.9:8200 refuses connections.');

exhaustiveTest('a signing service that is away: the key pauses with a code, is asked less and less often, and goes on by itself', async () => {
  gateway = await openTestGateway({ operators: 2 });
  let fault: Error | null = away;
  const { signer, asked } = faultySigner(gateway.chain.relayer.privateKey, () => fault);
  let skewMs = 0;
  gateway.start({ settings, signers: [signer], now: () => Date.now() + skewMs });
  const id = await enterBy(0);
  expect(await untilPaused('signer-unavailable')).toEqual({ state: 'paused', pause_code: 'signer-unavailable', reason: `The key cannot sign: ${away.message}` });
  expect((await gateway.row(id)).state).toBe('verified');
  // Each pause is twice as long as the previous one, independent of this machine's speed: the fifth attempt follows 15 s of the
  // clock after the first.
  for (const rest of [1, 2, 4, 8]) {
    const before = asked();
    skewMs += rest * 1_000;
    while (asked() === before) await systemInterfaces.timers.sleep(20);
  }
  // The claim is released after the signer failed.
  await expect.poll(async () => (await gateway.database.query(`select 1 from gateway_batches where state <> 'abandoned'`)).rowCount).toBe(0);
  fault = null;
  skewMs += 16_000;
  expect((await gateway.ended([id]))[0]!.state).toBe('confirmed');
  while ((await gateway.database.query(`select 1 from gateway_lines where state = 'running'`)).rowCount === 0) await systemInterfaces.timers.sleep(30);
});

exhaustiveTest('a key whose service is away gives back at once what it took: another key sends everything while no clock moves', async () => {
  gateway = await openTestGateway({ operators: 3 });
  const { chain } = gateway;
  const other = testAccount(33);
  await chain.setBalance(other.address, 10n ** 20n);
  const { signer, asked } = faultySigner(other.privateKey, () => away);
  // A clock ahead of every message, so that no batch window delays the messages.
  const stoodStill = Date.now() + 10_000;
  // The failing key runs alone at first, so that it claims the first messages.
  const alone = gateway.start({ settings, signers: [signer], now: () => stoodStill });
  const ids = [await enterBy(0), await enterBy(1), await enterBy(2)];
  while (asked() === 0) await systemInterfaces.timers.sleep(20);
  await untilPaused('signer-unavailable');
  gateway.start({ settings, signers: [createLocalSigner(chain.relayer.privateKey)], now: () => stoodStill });
  expect((await gateway.ended(ids)).map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  await alone.close();
});

test('one key whose service is away, and one whose service hangs: a third key sends everything', async () => {
  gateway = await openTestGateway({ operators: 3 });
  const { chain } = gateway;
  const others = [testAccount(31), testAccount(32)];
  for (const { address } of others) await chain.setBalance(address, 10n ** 20n);
  const signers = [
    faultySigner(others[0]!.privateKey, () => away).signer, faultySigner(others[1]!.privateKey, () => 'hangs').signer, createLocalSigner(chain.relayer.privateKey),
  ];
  gateway.start({ settings: { ...settings, batch_max_operations: 1 }, signers });
  const ids = [await enterBy(0), await enterBy(1), await enterBy(2)];
  // The hanging key keeps its claimed message until its service answers or the call times out; the other messages continue.
  const confirmed = async (): Promise<number> => (await Promise.all(ids.map((id) => gateway.row(id)))).filter(({ state }) => state === 'confirmed').length;
  while (await confirmed() < 2) await systemInterfaces.timers.sleep(50);
  expect(await confirmed()).toBeGreaterThanOrEqual(2);
});

test('a service that fails while a transaction waits for a better offer: what was signed stays on its way and lands', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  let fault: Error | null = null;
  const { signer, asked } = faultySigner(gateway.chain.relayer.privateKey, () => fault);
  gateway.start({ settings, signers: [signer] });
  const id = await enterBy(0);
  await gateway.reached(id, 'sent');
  fault = away;
  // The base fee rises above the offered fee, so a replacement would need a signature.
  await gateway.chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(90n * 10n ** 9n).toString(16)}`]);
  await gateway.mine();
  await gateway.followed();
  while (asked() < 2) await systemInterfaces.timers.sleep(20);
  expect((await gateway.row(id)).state).toBe('sent');
  fault = null;
  await gateway.mineUntil([id], ['confirmed'], 40);
});
