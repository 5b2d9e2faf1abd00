/**
 * Thrown if the node returned an error for a call: a revert, a nonce too low, an unsupported method. The message is a sentence that
 * names the host.
 */
export class RpcRefused extends Error {
  override readonly name = 'RpcRefused';
  readonly host: string;
  /** JSON-RPC error code; most nodes use 3 for a revert. */
  readonly code: number;
  /** The node's error text, shortened and without secrets of the endpoint's URL. */
  readonly said: string;
  /** The node's `error.data`, unchecked; for a revert it contains the reason. */
  readonly data: unknown;

  constructor(host: string, method: string, refusal: { code: number; said: string; data: unknown }) {
    super(`${host} refused ${method}: ${refusal.said} (code ${refusal.code})`);
    this.host = host;
    this.code = refusal.code;
    this.said = refusal.said;
    this.data = refusal.data;
  }
}

/** Thrown if an endpoint gave no usable answer. The message is a sentence that names only the host. */
export class EndpointFault extends Error {
  override readonly name = 'EndpointFault';
  readonly host: string;
  readonly kind: EndpointFaultKind;
  /** The message without the host. */
  readonly what: string;
  /** HTTP status, if the status was the fault. */
  readonly status: number | null;

  constructor(host: string, kind: EndpointFaultKind, what: string, cause?: unknown, status: number | null = null) {
    super(`${host} ${what}`, { cause });
    this.host = host;
    this.kind = kind;
    this.what = what;
    this.status = status;
  }
}

type EndpointFaultKind = 'unreachable' | 'silent' | 'status' | 'busy' | 'too-large' | 'unreadable' | 'other-chain';

/** Thrown if no endpoint answered. The message contains the fault of each endpoint. */
export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
  readonly faults: readonly EndpointFault[];

  constructor(method: string, faults: readonly EndpointFault[]) {
    const which = faults.length === 1 ? 'The RPC endpoint did not answer' : `None of the ${faults.length} RPC endpoints answered`;
    super(`${which} ${method}: ${faults.map(({ message }) => message).join('; ')}.`);
    this.faults = faults;
  }
}
