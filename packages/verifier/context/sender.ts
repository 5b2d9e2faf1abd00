import type { Hex, Operation } from '@vouch/chain/messages/operation';

/** How a node's operations reach the chain: through a gateway, or with transactions of its own. */
export interface Sender {
  /**
   * Hands an operation over; it takes effect later, or not: the chain tells.
   * @param note called before anything leaves, in gas mode with the hash of the transaction: what has to be written down first
   * @throws SendFault; the reason of `signal`
   */
  send(operation: Operation, note: (hash: Hex | null) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Sends a call of the service that is no operation. Absent where the node pays for nothing. */
  sendData?(data: Hex, note: (hash: Hex | null) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** A node that may be replaced where the active set is full; zero where it is not, or where that cannot be known. */
  replacedNode(signal?: AbortSignal): Promise<Hex>;
  /** Work between two looks at the chain, such as transactions that must be replaced. */
  tend(signal?: AbortSignal): Promise<void>;
}

/** The operation was not taken over. The message is a sentence. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  /** unavailable: nobody answered as he should, try again; refused: the operation itself is not wanted. */
  readonly kind: 'unavailable' | 'refused';
  /** Code of the gateway's catalogue, or null. */
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(kind: 'unavailable' | 'refused', sentence: string, code: string | null = null, retryAfterSeconds: number | null = null) {
    super(sentence);
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

