import { startTestChain, testAccount, type TestChain } from '@vouch/chain/testing/testChain';
import { getReceipt } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Hex } from '@vouch/chain/messages/operation';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { KeptTransaction } from '../state/nodeState.ts';
import { RpcGate } from '../testing/rpcGate.ts';
import { OwnSender } from './ownSender.ts';
import type { TransactionStore } from './pendingTransactions.ts';

/** An account without code, which accepts any call. */
const service = testAccount(4_000).address;
const second = 1_000;
const gwei = 10n ** 9n;

let chain: TestChain;
let kept: readonly KeptTransaction[];
let now: number;
let elapsed: number;
afterEach(() => chain.stop());

interface Sent {
  type: Hex;
  gasPrice: Hex;
  nonce: Hex;
}

async function open(hardfork?: string): Promise<void> {
  chain = await startTestChain({ automine: false, operators: 1, ...(hardfork === undefined ? {} : { hardfork }) });
  kept = [];
  now = Date.now();
  elapsed = 0;
}

/** A sender of the operator's transactions, as a run of the node opens it. */
function startSender(rpc: RpcClient = chain.rpc): OwnSender {
  const [{ address, privateKey }] = chain.operators as [TestChain['operators'][number]];
  const store: TransactionStore = { get transactions() { return kept; }, setTransactions: (next) => { kept = JSON.parse(JSON.stringify(next)) as KeptTransaction[]; }, save: async () => {} };
  return new OwnSender({ rpc, chainId: Number(chain.chainId), service, node: address, privateKey, system: { clock: { now: () => now }, elapsedMs: () => elapsed }, log: createLogger('silent'), store });
}

const read = (hash: Hex): Promise<Sent> => chain.rpc.request<Sent>('eth_getTransactionByHash', [hash]);
const priceOf = async (hash: Hex): Promise<bigint> => BigInt((await read(hash)).gasPrice);

it('a node that pays for itself sends legacy transactions to a chain without base fees, and replaces them with higher gas prices, also after a restart', async () => {
  await open('berlin');
  await startSender().sendData('0x1234', async () => {});
  const first = kept[0]!.hashes[0]!;
  expect(await read(first)).toMatchObject({ type: '0x0', nonce: '0x0' });
  const price = await priceOf(first);
  expect(kept).toMatchObject([{ legacy: true, maxFee: String(price), tip: String(price) }]);
  const restarted = startSender();
  elapsed += 3 * second;
  await restarted.tend();
  // An inherited transaction that the market still accepts is sent again unchanged.
  expect(kept[0]!.hashes).toEqual([first]);
  // Both waits pass, although the clock is set back.
  now -= 3_600 * second;
  elapsed += 46 * second;
  await chain.rpc.request('anvil_dropTransaction', [first]);
  await restarted.tend();
  const replacement = kept[0]!.hashes.at(-1)!;
  expect(await read(replacement)).toMatchObject({ type: '0x0', nonce: '0x0' });
  expect(await priceOf(replacement)).toBe((price * 1_125n) / 1_000n);
  await chain.mine();
  expect(await getReceipt(chain.rpc, replacement)).toMatchObject({ succeeded: true });
  elapsed += 3 * second;
  await restarted.tend();
  expect(kept).toEqual([]);
});

it('a node that pays for itself outbids a legacy transaction of unknown fees at its nonce', async () => {
  await open('berlin');
  const [{ address }] = chain.operators as [TestChain['operators'][number]];
  await chain.rpc.request('anvil_impersonateAccount', [address]);
  await chain.rpc.request('eth_sendTransaction', [{ from: address, to: service, nonce: '0x0', gasPrice: `0x${(10n * gwei).toString(16)}`, gas: '0x5208' }]);
  await startSender().sendData('0x1234', async () => {});
  const replacement = kept[0]!.hashes.at(-1)!;
  expect(await read(replacement)).toMatchObject({ type: '0x0', nonce: '0x0' });
  expect(await priceOf(replacement)).toBeGreaterThan(10n * gwei);
  await chain.mine();
  expect(await getReceipt(chain.rpc, replacement)).toMatchObject({ succeeded: true });
});

it('a node that pays for itself sends transactions with a priority fee to a chain with base fees', async () => {
  await open();
  await startSender().sendData('0x1234', async () => {});
  expect(await read(kept[0]!.hashes[0]!)).toMatchObject({ type: '0x2' });
  expect(kept[0]).not.toHaveProperty('legacy');
});

describe('with endpoints that word a refusal differently, a node that pays for itself', () => {
  /** Opens a client with one gate to the chain for each function, which transforms the answers of its gate. */
  async function through(...rewrites: ((text: string) => string)[]): Promise<RpcClient> {
    const gates = await Promise.all(rewrites.map(() => RpcGate.start(chain.url)));
    gates.forEach((gate, at) => { gate.rewrite = rewrites[at]!; });
    const rpc = createRpcClient({ urls: gates.map(({ url }) => url) }, systemInterfaces);
    onTestFinished(async () => {
      await rpc.close();
      await Promise.all(gates.map((gate) => gate.stop()));
    });
    return rpc;
  }

  it('keeps a transaction that one endpoint took before its connection broke, and that the next one knows', async () => {
    await open();
    const broken = (text: string): string => {
      if (/"result":"0x[0-9a-f]{64}"/.test(text)) throw new Error('the connection breaks');
      return text;
    };
    const rpc = await through(broken, (text) => text.replace(/"message":"[^"]*already imported[^"]*"/, '"message":"AlreadyKnown"'));
    await startSender(rpc).sendData('0x1234', async () => {});
    expect(kept).toHaveLength(1);
    await chain.mine();
    expect(await getReceipt(chain.rpc, kept[0]!.hashes[0]!)).toMatchObject({ succeeded: true });
  });

  it.each(['Upfront cost exceeds account balance', 'InsufficientFunds, Account balance: 0, cumulative cost: 1'])('takes "%s" for a balance that is too low', async (said) => {
    await open();
    await chain.rpc.request('anvil_setBalance', [chain.operators[0]!.address, '0x1']);
    const rpc = await through((text) => text.replace(/"message":"[^"]*[Ii]nsufficient funds[^"]*"/, `"message":"${said}"`));
    await expect(startSender(rpc).sendData('0x1234', async () => {})).rejects.toMatchObject({ message: `The balance of the node's key is too low for the transaction: ${said}.` });
  });
});
