import { initialFees, replacementFees, type FeeMarket, type Fees } from '@vouch/chain/fees/fees';
import { callDataOf, dailyActiveData, signOwnTransaction } from '@vouch/chain/contracts/service/actions';
import { readView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { ethCall, getBlock, getNonce, getReceipt } from '@vouch/chain/rpc/chainReads';
import { readQuantity } from '@vouch/chain/rpc/readResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/doors';
import { messageOf } from '../logging/messageOf.ts';
import { fetchNodeDays } from '../rewards/fetchDays.ts';
import { PendingTransactions, type PendingTransaction, type TransactionStore } from './pendingTransactions.ts';
import { SendFault, type Sender } from '../context/sender.ts';

interface OwnSenderOptions {
  rpc: RpcClient;
  chainId: number;
  service: Hex;
  node: Hex;
  privateKey: Hex;
  clock: Clock;
  log: Logger;
  /** What outlives the program; null: nothing. */
  store: TransactionStore | null;
}

/** A transaction without a receipt for so long gets higher fees. */
const replaceMs = 45_000;
const tendMs = 2_000;
/** How often an unknown transaction of this account is outbid, by a half each time: from its first fees to 25 times as much. */
const maxOutbids = 8;
/** How often it is asked whether the day's reward can be had. */
const dailyMs = 60_000;
const pageSize = 500;
const maxSet = 5_000;

/** The node sets no cap on fees: a missed report costs more than its gas. */
const capWei = 2n ** 256n;

/** Sends transactions of the node's own account, each simulated first so that no gas is paid for a refusal that could be known. */
export class OwnSender implements Sender {
  readonly #options: OwnSenderOptions;
  readonly #pending: PendingTransactions;
  /** Sending is one after the other: nonces have no gaps. */
  #turn: Promise<unknown> = Promise.resolve();
  #tendedAt = 0;
  #dailyAt: number;
  /** Below it, nonces that are not in a block and of which nothing is kept were used by an earlier run; null before the first look. */
  #leftBelow: number | null = null;

  constructor(options: OwnSenderOptions) {
    this.#options = options;
    this.#pending = new PendingTransactions(options.store, options.log);
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
      await ethCall(rpc, { from: node, to: service, data: callDataOf({ kind: 'enter', replacedNode: zeroAddress, expiredAt: 0n }) }, 'latest', signal);
      return zeroAddress;
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw asSendFault(error);
    }
    let lightest = { node: zeroAddress, weight: Infinity };
    try {
      for (let offset = 0; offset < maxSet; offset += pageSize) {
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
    for (const each of this.#pending.all()) {
      if (each.nonce < landed) await this.#end(each, signal);
      else if (each.inherited || clock.now() - each.sentAt >= replaceMs) await this.#replace(each, signal);
    }
  }

  /** A node that was active long enough today earns once somebody says so; behind a gateway, that one does. */
  async #reportDay(signal?: AbortSignal): Promise<void> {
    const { clock, log, rpc, node, service } = this.#options;
    this.#dailyAt = clock.now();
    const data = dailyActiveData(node);
    // Our contract refuses it while the time of today is too short, and after it was said; the upstream one says nothing, and takes the fee.
    const due = await ethCall(rpc, { from: node, to: service, data }, 'latest', signal).then(() => true, (error: unknown) => {
      if (error instanceof RpcRefused) return false;
      throw error;
    });
    if (!due || !(await this.#isCreditable(signal))) return;
    await this.sendData(data, async () => {}, signal);
    log.info('The contract is told that this node was active today; it counts once the contract credits the day.');
  }

  /** Whether the contract says that today is not credited and its hours are reached; true where it does not tell. */
  async #isCreditable(signal?: AbortSignal): Promise<boolean> {
    const { rpc, node, service } = this.#options;
    const [head, record] = [await getBlock(rpc, 'latest', signal), await readView(rpc, serviceViews.node(service, node), signal)];
    const days = head === null ? null : await fetchNodeDays(rpc, service, { address: node, record }, head, 1, signal);
    if (days === null) return true;
    const { neededSeconds, activeSeconds, days: [today] } = days;
    return (today.creditedWeight ?? 0) === 0 && activeSeconds >= (neededSeconds ?? 0);
  }

  async #sendNow(data: Hex, note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    const { rpc, node, service, clock, log } = this.#options;
    // What is on its way is replaced when it takes too long, never sent twice.
    if (this.#pending.carries(data)) return;
    const call = { from: node, to: service, data };
    await ethCall(rpc, call, 'latest', signal);
    // By the newest block: where nodes count what is pending too, the same report of an earlier run would be refused.
    const gas = (await rpc.ask('eth_estimateGas', [call, 'latest'], readQuantity, signal)) * 5n / 4n;
    const fees = uncapped(initialFees(await this.#market(signal)));
    const pending: PendingTransaction = { nonce: await this.#nextNonce(signal), data, gas, fees, hashes: [], sentAt: clock.now(), inherited: false };
    const raw = await this.#sign(pending);
    await note(pending.hashes[0] as Hex);
    this.#pending.add(pending);
    await this.#pending.save();
    try {
      await this.#outbid(pending, raw, signal);
    } catch (error) {
      // Where nobody took it for sure, the nonce is free again; otherwise it stays watched.
      if (error instanceof RpcRefused) this.#pending.remove(pending);
      throw error;
    }
    log.debug({ transaction: pending.hashes.at(-1), nonce: pending.nonce }, 'A transaction was sent.');
  }

  /** Sends a transaction in the place of one that an earlier run may have left at its nonce, whose fees nobody knows. */
  async #outbid(pending: PendingTransaction, first: Hex, signal?: AbortSignal): Promise<void> {
    let raw = first;
    for (let outbids = 0; ; outbids += 1) {
      try {
        return await this.#broadcast(raw, signal);
      } catch (error) {
        if (!(error instanceof RpcRefused) || !/replacement/i.test(error.said) || outbids === maxOutbids) throw error;
        pending.fees = { maxFeeWei: (pending.fees.maxFeeWei * 3n) / 2n + 1n, priorityFeeWei: (pending.fees.priorityFeeWei * 3n) / 2n + 1n };
        raw = await this.#sign(pending);
        await this.#pending.save();
      }
    }
  }

  async #market(signal?: AbortSignal): Promise<FeeMarket> {
    const { rpc } = this.#options;
    const head = await getBlock(rpc, 'latest', signal);
    const tip = await rpc.ask('eth_maxPriorityFeePerGas', [], readQuantity, signal).catch((error: unknown) => {
      if (error instanceof RpcRefused) return 1_000_000_000n;
      throw error;
    });
    return { baseFeeWei: head?.baseFee ?? 0n, suggestedTipWei: tip, capWei };
  }

  /**
   * The first nonce that nothing of this run is on its way with. One that an earlier run used, and of which nothing was kept, is
   * used again: what waits there would hold up all that is sent behind it. Nonces that somebody else uses meanwhile are passed over.
   */
  async #nextNonce(signal?: AbortSignal): Promise<number> {
    const { rpc, node, store } = this.#options;
    const [landed, waiting] = [await getNonce(rpc, node, 'latest', signal), await getNonce(rpc, node, 'pending', signal)];
    this.#leftBelow ??= store === null ? 0 : waiting;
    let nonce = landed;
    while (this.#pending.has(nonce) || (nonce >= this.#leftBelow && nonce < waiting)) nonce += 1;
    return nonce;
  }

  async #sign(pending: PendingTransaction): Promise<Hex> {
    const { chainId, service, privateKey } = this.#options;
    const { nonce, data, gas, fees } = pending;
    const { raw, hash } = await signOwnTransaction(privateKey, {
      chainId, nonce, to: service, data, gas, maxFeePerGas: fees.maxFeeWei, maxPriorityFeePerGas: fees.priorityFeeWei,
    });
    if (pending.hashes.at(-1) !== hash) pending.hashes.push(hash);
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

  /** Sends a transaction again, with higher fees where that helps. */
  async #replace(pending: PendingTransaction, signal?: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    pending.sentAt = clock.now();
    const market = await this.#market(signal);
    if (await this.#deservesMore(pending, market, signal)) pending.fees = uncapped(replacementFees(pending.fees, market));
    const raw = await this.#sign(pending);
    await this.#pending.save();
    await this.#broadcast(raw, signal).catch((error: unknown) => {
      if (!(error instanceof RpcRefused)) throw error;
      log.debug({ fault: messageOf(error), nonce: pending.nonce }, 'a replacement was refused');
    });
    pending.inherited = false;
  }

  async #deservesMore(pending: PendingTransaction, { baseFeeWei, suggestedTipWei }: FeeMarket, signal?: AbortSignal): Promise<boolean> {
    const { rpc, node, service } = this.#options;
    // The nodes may only have forgotten it, or this program was away while it waited for the next block.
    if (pending.inherited && pending.fees.maxFeeWei >= baseFeeWei + suggestedTipWei) return false;
    if (this.#pending.holdsUp(pending)) return true;
    // What has become pointless (reported by another copy, deadline over) would only cost gas; it stays as it was sent.
    return ethCall(rpc, { from: node, to: service, data: pending.data }, 'latest', signal).then(() => true, (error: unknown) => !(error instanceof RpcRefused));
  }

  async #end(pending: PendingTransaction, signal?: AbortSignal): Promise<void> {
    const { rpc, log } = this.#options;
    for (const hash of pending.hashes) {
      const receipt = await getReceipt(rpc, hash, signal);
      if (receipt === null) continue;
      if (!receipt.succeeded) log.warn({ transaction: hash }, 'A transaction of this node failed on the chain; it is looked at anew.');
      break;
    }
    this.#pending.remove(pending);
  }
}

function asSendFault(error: unknown): unknown {
  if (error instanceof RpcUnavailable) return new SendFault('unavailable', error.message);
  if (!(error instanceof RpcRefused)) return error;
  const poor = /insufficient funds|gas required exceeds allowance|exceeds the balance/i.test(error.said);
  return new SendFault('refused', poor ? `The balance of the node's key does not pay for the transaction: ${error.said}.` : `The contract or the RPC refused: ${error.said}.`, poor ? 'balance' : null);
}

/** Fees under a cap that no chain reaches. */
function uncapped(fees: Fees | null): Fees {
  if (fees === null) throw new Error('The chain asks for fees above 2^256 wei.');
  return fees;
}
