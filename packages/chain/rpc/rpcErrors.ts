/**
 * The node understood the call and refused it: a revert, a nonce that is too low, a method that it does not have. The
 * message is a sentence that names the host.
 */
export class RpcRefused extends Error {
  override readonly name = 'RpcRefused';
  readonly host: string;
  /** Code of JSON-RPC; 3 is a revert at most nodes. */
  readonly code: number;
  /** What the node said, shortened and without what could be a secret of the endpoint's address. */
  readonly said: string;
  /** The node's `error.data`, which for a revert holds its reason; as it came. */
  readonly data: unknown;

  constructor(host: string, method: string, refusal: { code: number; said: string; data: unknown }) {
    super(`${host} refused ${method}: ${refusal.said} (code ${refusal.code})`);
    this.host = host;
    this.code = refusal.code;
    this.said = refusal.said;
    this.data = refusal.data;
  }
}

/** Why one endpoint gave no answer that can be used. The message is a sentence that names the host alone. */
export class EndpointFault extends Error {
  override readonly name = 'EndpointFault';
  readonly host: string;
  readonly kind: EndpointFaultKind;
  /** The status of HTTP, where that is the fault. */
  readonly status: number | null;

  constructor(host: string, kind: EndpointFaultKind, what: string, cause?: unknown, status: number | null = null) {
    super(`${host} ${what}`, { cause });
    this.host = host;
    this.kind = kind;
    this.status = status;
  }
}

type EndpointFaultKind = 'unreachable' | 'silent' | 'status' | 'busy' | 'too-large' | 'unreadable';

/** No endpoint answered. The message says of each why. */
export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
  readonly faults: readonly EndpointFault[];

  constructor(method: string, faults: readonly EndpointFault[]) {
    const which = faults.length === 1 ? 'The RPC endpoint gave no answer' : `None of the ${faults.length} RPC endpoints gave an answer`;
    super(`${which} to ${method}: ${faults.map(({ message }) => message).join('; ')}.`);
    this.faults = faults;
  }
}
