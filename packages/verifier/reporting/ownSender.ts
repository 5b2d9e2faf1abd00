import { callDataOf, dailyActiveData, signOwnTransaction } from '@vouch/chain/contracts/service/actions';
import { readView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall, getBlock, getNonce, getReceipt } from '@vouch/chain/rpc/chainReads';
import { readQuantity } from '@vouch/chain/rpc/readResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/doors';
import { messageOf } from '../logging/messageOf.ts';
import { bumpedFees, firstFees, type Fees } from './fees.ts';
import { noNode, SendFault, type Sender } from './sender.ts';

export interface OwnSenderOptions {
  rpc: RpcClient;
  chainId: number;
  service: Hex;
  node: Hex;
  privateKey: Hex;
  clock: Clock;
  log: Logger;
}

/** A transaction that is on its way. */
interface Pending {
  nonce: number;
  data: Hex;
  gas: bigint;
  fees: Fees;
  /** Of every version that was sent, newest last. */
  hashes: Hex[];
  sentAt: number;
}

/** A transaction without a receipt for so long gets higher fees. */
const replaceMs = 45_000;
const tendMs = 2_000;
/** How often it is asked whether the day's reward can be had. */
const dailyMs = 60_000;
const pageSize = 500;
const setMax = 5_000;

/** Sends transactions of the node's own account, each simulated first so that no gas is paid for a refusal that could be known. */
export class OwnSender implements Sender {
  readonly #options: OwnSenderOptions;
  readonly #pending = new Map<number, Pending>();
  /** Sending is one after the other: nonces have no gaps. */
  #turn: Promise<unknown> = Promise.resolve();
  #tendedAt = 0;
  #dailyAt: number;

  constructor(options: OwnSenderOptions) {
    this.#options = options;
    this.#dailyAt = options.clock.now();
  }

  async send(operation: Parameters<Sender['send']>[0], note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    await this.sendData(callDataOf(operation), note, signal);
  }

  /** As `send`, of a call that is encoded already. */
  async sendData(data: Hex, note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    const sent = this.#turn.then(() => this.#sendNow(data, note, signal));
    this.#turn = sent.catch(() => {});
    try {
      await sent;
    } catch (error) {
      throw asSendFault(error);
    }
  }

  /** The lightest node where the set is full: then an enter that names none is refused. */
  async replacedNode(signal?: AbortSignal): Promise<Hex> {
    const { rpc, service, node } = this.#options;
    try {
      await ethCall(rpc, { from: node, to: service, data: callDataOf({ kind: 'enter', replacedNode: noNode, expiredAt: 0n }) }, 'latest', signal);
      return noNode;
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw asSendFault(error);
    }
    let lightest = { node: noNode, weight: Infinity };
    try {
      for (let offset = 0; offset < setMax; offset += pageSize) {
        const page = await readView(rpc, serviceViews.activeNodes(service, offset, pageSize), signal);
        for (const each of page) if (each.weight < lightest.weight) lightest = each;
        if (page.length < pageSize) break;
      }
    } catch (error) {
      // The published contract does not list its nodes; then the refusal says that one has to be named.
      if (!(error instanceof RpcRefused)) throw asSendFault(error);
    }
    return lightest.node;
  }

  /** Looks for receipts, and raises the fees of what waits too long. */
  async tend(signal?: AbortSignal): Promise<void> {
    const { clock, rpc, node } = this.#options;
    if (clock.now() - this.#dailyAt >= dailyMs) await this.#reportDay(signal);
    if (this.#pending.size === 0 || clock.now() - this.#tendedAt < tendMs) return;
    this.#tendedAt = clock.now();
    const landed = await getNonce(rpc, node, 'latest', signal);
    for (const each of this.#pending.values()) {
      if (each.nonce < landed) await this.#end(each, signal);
      else if (clock.now() - each.sentAt >= replaceMs) await this.#replace(each, signal);
    }
  }

  /** A node that was active long enough today earns once somebody says so; behind a gateway, that one does. */
  async #reportDay(signal?: AbortSignal): Promise<void> {
    const { clock, log, rpc, node, service } = this.#options;
    this.#dailyAt = clock.now();
    const data = dailyActiveData(node);
    // Refused while the time of today is too short, and after it was said.
    const due = await ethCall(rpc, { from: node, to: service, data }, 'latest', signal).then(() => true, (error: unknown) => {
      if (error instanceof RpcRefused) return false;
      throw error;
    });
    if (!due) return;
    await this.sendData(data, async () => {}, signal);
    log.info('The contract was told that this node was active today.');
  }

  async #sendNow(data: Hex, note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    const { rpc, node, service, clock, log } = this.#options;
    // What is on its way is replaced when it takes too long, never sent twice.
    if ([...this.#pending.values()].some((each) => each.data === data)) return;
    const call = { from: node, to: service, data };
    await ethCall(rpc, call, 'latest', signal);
    const gas = (await rpc.ask('eth_estimateGas', [call], readQuantity, signal)) * 5n / 4n;
    const fees = firstFees(await this.#market(signal));
    const pending: Pending = { nonce: await this.#nextNonce(signal), data, gas, fees, hashes: [], sentAt: clock.now() };
    const raw = await this.#sign(pending);
    await note(pending.hashes[0] as Hex);
    this.#pending.set(pending.nonce, pending);
    try {
      await this.#broadcast(raw, signal);
    } catch (error) {
      // Where nobody took it for sure, the nonce is free again; otherwise it stays watched.
      if (error instanceof RpcRefused) this.#pending.delete(pending.nonce);
      throw error;
    }
    log.debug({ transaction: pending.hashes[0], nonce: pending.nonce }, 'A transaction was sent.');
  }

  async #market(signal?: AbortSignal): Promise<{ baseFee: bigint; tip: bigint }> {
    const { rpc } = this.#options;
    const head = await getBlock(rpc, 'latest', signal);
    const tip = await rpc.ask('eth_maxPriorityFeePerGas', [], readQuantity, signal).catch((error: unknown) => {
      if (error instanceof RpcRefused) return 1_000_000_000n;
      throw error;
    });
    return { baseFee: head?.baseFee ?? 0n, tip };
  }

  async #nextNonce(signal?: AbortSignal): Promise<number> {
    const { rpc, node } = this.#options;
    const waiting = await getNonce(rpc, node, 'pending', signal);
    return Math.max(waiting, ...[...this.#pending.keys()].map((nonce) => nonce + 1));
  }

  async #sign(pending: Pending): Promise<Hex> {
    const { chainId, service, privateKey } = this.#options;
    const { nonce, data, gas, fees } = pending;
    const { raw, hash } = await signOwnTransaction(privateKey, {
      chainId, nonce, to: service, data, gas, maxFeePerGas: fees.maxFee, maxPriorityFeePerGas: fees.tip,
    });
    pending.hashes.push(hash);
    return raw;
  }

  async #broadcast(raw: Hex, signal?: AbortSignal): Promise<void> {
    const { rpc } = this.#options;
    try {
      await rpc.request('eth_sendRawTransaction', [raw], signal);
    } catch (error) {
      if (error instanceof RpcRefused && /already known|already imported|known transaction/i.test(error.said)) return;
      throw error;
    }
  }

  async #replace(pending: Pending, signal?: AbortSignal): Promise<void> {
    const { clock, log, rpc, node, service } = this.#options;
    pending.sentAt = clock.now();
    // What has become pointless (reported by another copy, deadline over) would only cost gas; it stays as it was sent.
    const refused = await ethCall(rpc, { from: node, to: service, data: pending.data }, 'latest', signal).then(() => false, (error: unknown) => error instanceof RpcRefused);
    if (!refused) pending.fees = bumpedFees(pending.fees, await this.#market(signal));
    const raw = await this.#sign(pending);
    if (refused) pending.hashes.pop();
    await this.#broadcast(raw, signal).catch((error: unknown) => {
      if (!(error instanceof RpcRefused)) throw error;
      log.debug({ fault: messageOf(error), nonce: pending.nonce }, 'a replacement was refused');
    });
  }

  async #end(pending: Pending, signal?: AbortSignal): Promise<void> {
    const { rpc, log } = this.#options;
    for (const hash of pending.hashes) {
      const receipt = await getReceipt(rpc, hash, signal);
      if (receipt === null) continue;
      if (!receipt.succeeded) log.warn({ transaction: hash }, 'A transaction of this node failed on the chain; it is looked at anew.');
      break;
    }
    this.#pending.delete(pending.nonce);
  }
}

function asSendFault(error: unknown): unknown {
  if (error instanceof RpcUnavailable) return new SendFault('unavailable', error.message);
  if (!(error instanceof RpcRefused)) return error;
  const poor = /insufficient funds|gas required exceeds allowance|exceeds the balance/i.test(error.said);
  return new SendFault('refused', poor ? `The balance of the node's key does not pay for the transaction: ${error.said}.` : `The contract or the RPC refused: ${error.said}.`, poor ? 'balance' : null);
}
