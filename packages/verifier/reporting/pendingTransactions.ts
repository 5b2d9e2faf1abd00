import type { Fees } from '@vouch/chain/fees/fees';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Logger } from '@vouch/platform/log/logger';
import { messageOf } from '../logging/messageOf.ts';
import type { KeptTransaction } from '../state/nodeState.ts';
import type { NodeRecord } from '../state/nodeRecord.ts';

/** A transaction that is on its way. */
export interface PendingTransaction {
  nonce: number;
  data: Hex;
  gas: bigint;
  fees: Fees;
  /** Of every version that was sent, newest last. */
  hashes: Hex[];
  sentAt: number;
  /** Sent by an earlier run: whether any node still has it is not known. */
  inherited: boolean;
}

/** Where transactions are kept over a restart. */
export type TransactionStore = Pick<NodeRecord, 'transactions' | 'setTransactions' | 'save'>;

/** Versions of one transaction that are looked for on the chain; each has an eighth more than the one before, so the last ones count. */
const maxHashes = 64;

/**
 * The transactions of a node that are not in a block yet, by nonce. They outlive the program: one whose fees became too low
 * would otherwise hold up everything that the next run sends behind it.
 */
export class PendingTransactions {
  readonly #store: TransactionStore | null;
  readonly #log: Logger;
  readonly #byNonce: Map<number, PendingTransaction>;

  /** @param store null: they end with the program */
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

  /** Whether something waits behind it. */
  holdsUp({ nonce }: PendingTransaction): boolean {
    return this.all().some((each) => each.nonce > nonce);
  }

  add(transaction: PendingTransaction): void {
    this.#byNonce.set(transaction.nonce, transaction);
  }

  /** It is in a block, or nobody took it. What was written down is corrected with the next change. */
  remove({ nonce }: PendingTransaction): void {
    this.#byNonce.delete(nonce);
    this.#store?.setTransactions(this.all().map(keep));
  }

  /** Writes all of them down, which has to be done before a version of one leaves. A full disk is no reason to miss a report. */
  async save(): Promise<void> {
    if (this.#store === null) return;
    this.#store.setTransactions(this.all().map(keep));
    await this.#store.save().catch((error: unknown) => this.#log.warn({ fault: messageOf(error) }, 'The state could not be written before a transaction went out.'));
  }
}

function keep({ nonce, data, gas, fees, hashes, sentAt }: PendingTransaction): KeptTransaction {
  return { nonce, data, gas: String(gas), maxFee: String(fees.maxFeeWei), tip: String(fees.priorityFeeWei), hashes: hashes.slice(-maxHashes), sentAt };
}

function revive({ nonce, data, gas, maxFee, tip, hashes, sentAt }: KeptTransaction): PendingTransaction {
  return { nonce, data, gas: BigInt(gas), fees: { maxFeeWei: BigInt(maxFee), priorityFeeWei: BigInt(tip) }, hashes: [...hashes], sentAt, inherited: true };
}
