import type { Fees } from '@vouch/chain/fees/fees';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Logger } from '@vouch/platform/log/logger';
import { messageOf } from '../logging/messageOf.ts';
import type { KeptTransaction } from '../state/nodeState.ts';
import type { NodeRecord } from '../state/nodeRecord.ts';

/** A transaction that is sent and not in a block yet. */
export interface PendingTransaction {
  nonce: number;
  data: Hex;
  gas: bigint;
  fees: Fees;
  /** Hashes of every version that was sent, newest last. */
  hashes: Hex[];
  sentAt: number;
  /** Time of the last sending by `elapsedMs`; -Infinity for an inherited transaction. */
  sentElapsedMs: number;
  /** Sent by an earlier run of the program; the network may have dropped the transaction. */
  inherited: boolean;
}

/** Stores pending transactions across restarts. */
export type TransactionStore = Pick<NodeRecord, 'transactions' | 'setTransactions' | 'save'>;

/** Number of versions of a transaction that are looked up, newest first. Each version raises the fees by an eighth, so the newest versions matter. */
const maxHashes = 64;

/**
 * The pending transactions of a node by nonce. They are stored across restarts: a transaction whose fees became too low
 * would otherwise block every later nonce of the next run.
 */
export class PendingTransactions {
  readonly #store: TransactionStore | null;
  readonly #log: Logger;
  readonly #byNonce: Map<number, PendingTransaction>;

  /** @param store null: transactions are not stored */
  constructor(store: TransactionStore | null, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#byNonce = new Map((store?.transactions ?? []).map((each) => [each.nonce, revive(each)]));
  }

  get size(): number {
    return this.#byNonce.size;
  }

  all(): PendingTransaction[] {
    return [...this.#byNonce.values()];
  }

  has(nonce: number): boolean {
    return this.#byNonce.has(nonce);
  }

  carries(data: Hex): boolean {
    return this.all().some((each) => each.data === data);
  }

  /** Whether a transaction with a higher nonce waits for this one. */
  holdsUp({ nonce }: PendingTransaction): boolean {
    return this.all().some((each) => each.nonce > nonce);
  }

  add(transaction: PendingTransaction): void {
    this.#byNonce.set(transaction.nonce, transaction);
  }

  /** Removes a transaction that is in a block or was refused. The stored list follows with the next change. */
  remove({ nonce }: PendingTransaction): void {
    this.#byNonce.delete(nonce);
    this.#store?.setTransactions(this.all().map(keep));
  }

  /** Stores all pending transactions; called before a transaction is sent. A full disk does not stop the report. */
  async save(): Promise<void> {
    if (this.#store === null) return;
    this.#store.setTransactions(this.all().map(keep));
    await this.#store.save().catch((error: unknown) => this.#log.warn({ fault: messageOf(error) }, 'The state could not be written before a transaction was sent.'));
  }
}

function keep({ nonce, data, gas, fees, hashes, sentAt }: PendingTransaction): KeptTransaction {
  return { nonce, data, gas: String(gas), maxFee: String(fees.maxFeeWei), tip: String(fees.priorityFeeWei), ...(fees.legacy ? { legacy: true as const } : {}), hashes: hashes.slice(-maxHashes), sentAt };
}

function revive({ nonce, data, gas, maxFee, tip, legacy, hashes, sentAt }: KeptTransaction): PendingTransaction {
  return { nonce, data, gas: BigInt(gas), fees: { maxFeeWei: BigInt(maxFee), priorityFeeWei: BigInt(tip), ...(legacy ? { legacy } : {}) }, hashes: [...hashes], sentAt, sentElapsedMs: Number.NEGATIVE_INFINITY, inherited: true };
}
