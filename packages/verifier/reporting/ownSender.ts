import { initialFees, replacementFees, type FeeMarket, type Fees } from '@vouch/chain/fees/fees';
import { fetchFeeMarket } from '@vouch/chain/fees/fetchFeeMarket';
import { callDataOf, dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { ethCall, getNonce, getReceipt } from '@vouch/chain/rpc/chainReads';
import { refusalKind } from '@vouch/chain/rpc/broadcast';
import { parseQuantity } from '@vouch/chain/rpc/parseResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { messageOf } from '../logging/messageOf.ts';
import { fetchNodeAtHead, fetchNodeDays } from '../rewards/fetchDays.ts';
import { PendingTransactions, type PendingTransaction, type TransactionStore } from './pendingTransactions.ts';
import { SendFault, type Sender } from '../context/sender.ts';

interface OwnSenderOptions {
  rpc: RpcClient;
  chainId: number;
  service: Hex;
  node: Hex;
  privateKey: Hex;
  system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  log: Logger;
  /** Stores pending transactions across restarts; null: they are not stored. */
  store: TransactionStore | null;
}

/** Time without a receipt after which a transaction's fees are raised. */
const replaceMs = 45_000;
const tendMs = 2_000;
/** How often the fees are raised by half to replace an unknown transaction of this account: up to 25 times the first fees. */
const maxOutbids = 8;
/** Interval between checks whether the day can be reported. */
const dailyMs = 60_000;
const pageSize = 500;
const maxSet = 5_000;

/** The node sets no cap on fees: a missed report costs more than its gas. */
const capWei = 2n ** 256n;

/** Sends transactions from the node's own account. Each call is simulated first, so that the node pays no gas for a call that would revert. */
export class OwnSender implements Sender {
  readonly #options: OwnSenderOptions;
  readonly #pending: PendingTransactions;
  readonly #signer: Signer;
  /** Transactions are sent one after the other, so that nonces have no gaps. */
  #turn: Promise<unknown> = Promise.resolve();
  #tendedAt = Number.NEGATIVE_INFINITY;
  #dailyAt: number;
  /** Pending nonces below this one that are not stored were used by an earlier run; null before the first check. */
  #leftBelow: number | null = null;

  constructor(options: OwnSenderOptions) {
    this.#options = options;
    this.#pending = new PendingTransactions(options.store, options.log);
    this.#signer = createLocalSigner(options.privateKey, "the node's key");
    this.#dailyAt = options.system.elapsedMs();
  }

  async send(operation: Parameters<Sender['send']>[0], note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    await this.sendData(callDataOf(operation), note, signal);
  }

  /** Like `send`, for call data that is already encoded. */
  async sendData(data: Hex, note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    const sent = this.#turn.then(() => this.#sendNow(data, note, signal));
    this.#turn = sent.catch(() => {});
    try {
      await sent;
    } catch (error) {
      throw asSendFault(error);
    }
  }

  /** The node with the lowest weight when the active set is full; the contract then refuses to let a node enter without replacing another. */
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
        const page = await fetchView(rpc, serviceViews.activeNodes(service, offset, pageSize), signal);
        for (const each of page) if (each.weight < lightest.weight) lightest = each;
        if (page.length < pageSize) break;
      }
    } catch (error) {
      // The published contract does not list its nodes; its refusal then says that a node to replace must be named.
      if (!(error instanceof RpcRefused)) throw asSendFault(error);
    }
    return lightest.node;
  }

  /** Looks up receipts, and raises the fees of transactions that wait too long. */
  async tend(signal?: AbortSignal): Promise<void> {
    const { system, rpc, node } = this.#options;
    if (system.elapsedMs() - this.#dailyAt >= dailyMs) await this.#reportDay(signal);
    if (this.#pending.size === 0 || system.elapsedMs() - this.#tendedAt < tendMs) return;
    this.#tendedAt = system.elapsedMs();
    const landed = await getNonce(rpc, node, 'latest', signal);
    for (const each of this.#pending.all()) {
      if (each.nonce < landed) await this.#end(each, signal);
      else if (each.inherited || system.elapsedMs() - each.sentElapsedMs >= replaceMs) await this.#replace(each, signal);
    }
  }

  /** Reports the day once the node was active long enough; without a report the day earns nothing. With a gateway, the gateway reports the day. */
  async #reportDay(signal?: AbortSignal): Promise<void> {
    const { system, log, rpc, node, service } = this.#options;
    this.#dailyAt = system.elapsedMs();
    const data = dailyActiveData(node);
    // Our contract refuses a report that is too early or repeated. The upstream contract accepts such a report without effect and the fee is lost.
    const due = await ethCall(rpc, { from: node, to: service, data }, 'latest', signal).then(() => true, (error: unknown) => {
      if (error instanceof RpcRefused) return false;
      throw error;
    });
    if (!due || !(await this.#isCreditable(signal))) return;
    await this.sendData(data, async () => {}, signal);
    log.info('The node reported its activity of today; the day counts once the contract credits it.');
  }

  /** Whether the day is long enough and not credited yet, according to the contract; true when the contract does not say. */
  async #isCreditable(signal?: AbortSignal): Promise<boolean> {
    const { rpc, node, service } = this.#options;
    const seen = await fetchNodeAtHead(rpc, service, node, signal);
    const days = seen === null ? null : await fetchNodeDays(rpc, service, node, seen, 1, signal);
    if (days === null) return true;
    const { neededSeconds, activeSeconds, days: [today] } = days;
    return (today.creditedWeight ?? 0) === 0 && activeSeconds >= (neededSeconds ?? 0);
  }

  async #sendNow(data: Hex, note: Parameters<Sender['send']>[1], signal?: AbortSignal): Promise<void> {
    const { rpc, node, service, system, log } = this.#options;
    // A pending transaction with this call is replaced by `tend` if it waits too long, so the call is not sent a second time.
    if (this.#pending.carries(data)) return;
    const call = { from: node, to: service, data };
    await ethCall(rpc, call, 'latest', signal);
    // Simulated on the newest block: on the pending block, the same report of an earlier run would make the call revert.
    const gas = (await rpc.ask('eth_estimateGas', [call, 'latest'], parseQuantity, signal)) * 5n / 4n;
    const fees = uncapped(initialFees(await fetchFeeMarket(rpc, capWei, signal)));
    const pending: PendingTransaction = { nonce: await this.#nextNonce(signal), data, gas, fees, hashes: [], sentAt: system.clock.now(), sentElapsedMs: system.elapsedMs(), inherited: false };
    const raw = await this.#sign(pending);
    await note(pending.hashes[0] as Hex);
    this.#pending.add(pending);
    await this.#pending.save();
    try {
      await this.#outbid(pending, raw, signal);
    } catch (error) {
      // When every endpoint refused the transaction, the nonce is free again; otherwise the transaction stays pending.
      if (error instanceof RpcRefused) this.#pending.remove(pending);
      throw error;
    }
    log.debug({ transaction: pending.hashes.at(-1), nonce: pending.nonce }, 'A transaction was sent.');
  }

  /** Sends a transaction, raising its fees until it replaces a transaction with unknown fees that an earlier run left at the nonce. */
  async #outbid(pending: PendingTransaction, first: Hex, signal?: AbortSignal): Promise<void> {
    let raw = first;
    for (let outbids = 0; ; outbids += 1) {
      try {
        return await this.#broadcast(raw, signal);
      } catch (error) {
        if (!(error instanceof RpcRefused) || !/replace/i.test(error.said) || outbids === maxOutbids) throw error;
        pending.fees = { ...pending.fees, maxFeeWei: (pending.fees.maxFeeWei * 3n) / 2n + 1n, priorityFeeWei: (pending.fees.priorityFeeWei * 3n) / 2n + 1n };
        raw = await this.#sign(pending);
        await this.#pending.save();
      }
    }
  }

  /**
   * The first nonce without a pending transaction of this run. A pending nonce of an earlier run that is not stored is
   * reused, because the unknown transaction would block every later nonce. Nonces used by another program meanwhile are skipped.
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
    const { chainId, service } = this.#options;
    const { nonce, data, gas, fees } = pending;
    const { raw, hash } = await this.#signer.signTransaction({ chainId: BigInt(chainId), nonce, to: service, data, gasLimit: gas, ...fees });
    if (pending.hashes.at(-1) !== hash) pending.hashes.push(hash);
    return raw;
  }

  async #broadcast(raw: Hex, signal?: AbortSignal): Promise<void> {
    const { rpc } = this.#options;
    try {
      await rpc.request('eth_sendRawTransaction', [raw], signal);
    } catch (error) {
      if (error instanceof RpcRefused && refusalKind(error) === 'taken') return;
      throw error;
    }
  }

  /** Sends a pending transaction again, with higher fees when that helps. */
  async #replace(pending: PendingTransaction, signal?: AbortSignal): Promise<void> {
    const { system, log, rpc } = this.#options;
    pending.sentAt = system.clock.now();
    pending.sentElapsedMs = system.elapsedMs();
    const market = await fetchFeeMarket(rpc, capWei, signal);
    if (await this.#deservesMore(pending, market, signal)) pending.fees = uncapped(replacementFees(pending.fees, market));
    const raw = await this.#sign(pending);
    await this.#pending.save();
    await this.#broadcast(raw, signal).catch((error: unknown) => {
      if (!(error instanceof RpcRefused)) throw error;
      log.debug({ fault: messageOf(error), nonce: pending.nonce }, 'a replacement was rejected');
    });
    pending.inherited = false;
  }

  async #deservesMore(pending: PendingTransaction, { baseFeeWei, suggestedTipWei }: FeeMarket, signal?: AbortSignal): Promise<boolean> {
    const { rpc, node, service } = this.#options;
    // The network may only have dropped the transaction, or this program was stopped while the transaction waited for the next block.
    if (pending.inherited && pending.fees.maxFeeWei >= baseFeeWei + suggestedTipWei) return false;
    if (this.#pending.holdsUp(pending)) return true;
    // A call that would revert by now (reported by another program, deadline passed) is not worth higher fees.
    return ethCall(rpc, { from: node, to: service, data: pending.data }, 'latest', signal).then(() => true, (error: unknown) => !(error instanceof RpcRefused));
  }

  async #end(pending: PendingTransaction, signal?: AbortSignal): Promise<void> {
    const { rpc, log } = this.#options;
    for (const hash of pending.hashes) {
      const receipt = await getReceipt(rpc, hash, signal);
      if (receipt === null) continue;
      if (!receipt.succeeded) log.warn({ transaction: hash }, 'A transaction of this node failed on the chain; the node prepares it again.');
      break;
    }
    this.#pending.remove(pending);
  }
}

function asSendFault(error: unknown): unknown {
  if (error instanceof RpcUnavailable) return new SendFault('unavailable', error.message);
  if (!(error instanceof RpcRefused)) return error;
  const poor = refusalKind(error) === 'funds' || /gas required exceeds allowance|exceeds the balance/i.test(error.said);
  return new SendFault('refused', poor ? `The balance of the node's key is too low for the transaction: ${error.said}.` : `The contract or the RPC endpoint rejected the transaction: ${error.said}.`, poor ? 'balance' : null);
}

/** Fees under a cap that no chain reaches. */
function uncapped(fees: Fees | null): Fees {
  if (fees === null) throw new Error('The chain requires fees above 2^256 wei.');
  return fees;
}
