import type { Hex, Operation } from '@vouch/chain/messages/operation';

/** How a node's operations reach the chain: through a gateway, or with transactions of its own. */
export interface Sender {
  /**
   * Submits an operation. The operation takes effect later or never; only the chain shows which.
   * @param note called before anything is sent, to record the attempt; in gas mode with the transaction's hash
   * @throws SendFault; the reason of `signal`
   */
  send(operation: Operation, note: (hash: Hex | null) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Sends another call to the service contract. Absent unless the node pays for its own transactions. */
  sendData?(data: Hex, note: (hash: Hex | null) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** A node that may be replaced in a full active set; the zero address when the set has room or the answer is unknown. */
  replacedNode(signal?: AbortSignal): Promise<Hex>;
  /** Maintenance between two scans of the chain, such as the replacement of pending transactions. */
  tend(signal?: AbortSignal): Promise<void>;
}

/** The operation was not accepted. The message is a sentence. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  /** `unavailable`: no valid answer, try again; `refused`: the operation itself was rejected. */
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

