import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import { privateKeyToAddress, signTransaction } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';
import { ethCall, getBlock, getChainId, getNonce, getReceipt, type Receipt } from '../rpc/chainReads.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';

/** A transaction for the configured account. Without `to`, it creates a contract. */
export interface Transaction {
  to?: Hex;
  data: Hex;
  /** Gas limit; estimated if absent. */
  gas?: bigint;
}

export interface SendOptions {
  /** Private key, 32 bytes, of the account that signs and pays. */
  key: Hex;
  timers?: Timers;
  /** Called while waiting, for chains that mine only on request. */
  mine?: () => Promise<void>;
  signal?: AbortSignal;
}

const pollMs = 50;
/** First polling interval: a chain that mines each transaction at once needs only milliseconds. */
const firstPollMs = 5;
const firstPolls = 8;
const waitsMax = 2_400;
/** Factor above the base fee. Twelve consecutive full blocks, each raising the base fee by an eighth, multiply the base fee by about 4. */
const feeFactor = 4n;
const priorityFeeWei = 1_000_000_000n;

/**
 * Signs transactions with one account, sends all of them and waits until every one is in a block. The nonces start at the number of
 * pending transactions, so nothing else may send from the account at the same time.
 *
 * @returns receipts in the order of the transactions
 * @throws Error with the failed transaction and the contract's reason; RpcRefused, RpcUnavailable
 * @example
 * const [receipt] = await sendTransactions(rpc, [{ to: service, data }], { key });
 */
export async function sendTransactions(rpc: RpcClient, transactions: readonly Transaction[], options: SendOptions): Promise<Receipt[]> {
  const { key, signal } = options;
  const from = privateKeyToAddress(key).toLowerCase() as Hex;
  const chainId = Number(await getChainId(rpc, signal));
  const first = await getNonce(rpc, from, 'pending', signal);
  const head = await getBlock(rpc, 'latest', signal);
  const maxFeePerGas = (head?.baseFee ?? priorityFeeWei) * feeFactor + priorityFeeWei;
  const hashes: Hex[] = [];
  for (const [place, { to, data, gas }] of transactions.entries()) {
    const raw = await signTransaction({
      privateKey: key,
      transaction: {
        type: 'eip1559', chainId, nonce: first + place, to, data, maxFeePerGas, maxPriorityFeePerGas: priorityFeeWei,
        gas: gas ?? (await estimateGas(rpc, { from, to, data }, signal)),
      },
    });
    hashes.push(await rpc.request<Hex>('eth_sendRawTransaction', [raw], signal));
  }
  const receipts: Receipt[] = [];
  for (const [place, hash] of hashes.entries()) {
    const receipt = await waitForReceipt(rpc, hash, options);
    if (!receipt.succeeded) throw new Error(await describeFailure(rpc, from, transactions[place] as Transaction, hash));
    receipts.push(receipt);
  }
  return receipts;
}

async function estimateGas(rpc: RpcClient, call: { from: Hex; to: Hex | undefined; data: Hex }, signal?: AbortSignal): Promise<bigint> {
  // Adds a quarter: because of refunds and the 63/64 rule, estimates are too low for nested calls.
  return (BigInt(await rpc.request<string>('eth_estimateGas', [call], signal)) * 5n) / 4n;
}

async function waitForReceipt(rpc: RpcClient, hash: Hex, { timers = systemInterfaces.timers, mine, signal }: SendOptions): Promise<Receipt> {
  for (let waits = 0; waits < waitsMax; waits++) {
    const receipt = await getReceipt(rpc, hash, signal);
    if (receipt !== null) return receipt;
    if (mine !== undefined) await mine();
    await timers.sleep(waits < firstPolls ? firstPollMs : pollMs, signal);
    signal?.throwIfAborted();
  }
  throw new Error(`Transaction ${hash} was not mined within ${(waitsMax * pollMs) / 1000} s.`);
}

async function describeFailure(rpc: RpcClient, from: Hex, { to, data }: Transaction, hash: Hex): Promise<string> {
  const what = to === undefined ? 'Transaction that creates a contract' : `Transaction to ${to}`;
  const reason = to === undefined ? '' : await ethCall(rpc, { from, to, data }).then(() => '', (error: unknown) => `: ${String(error)}`);
  return `${what} reverted (${hash})${reason}`;
}
