/** One JSON-RPC call. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** What came of one call of a batch. */
export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: Error };

/** What is known of one endpoint, for people: never its path, query or credentials. */
export interface EndpointState {
  /** Host and port. */
  host: string;
  /** Whether it is asked now; one that failed rests for a while. */
  resting: boolean;
  /** Failures without an answer between them. */
  failures: number;
  /** The last failure as a sentence; null before the first. */
  lastFault: string | null;
  /** When that was, milliseconds since the epoch. */
  lastFaultAt: number | null;
  /** How long the last answer took; null before the first. */
  latencyMs: number | null;
  requests: number;
}

/**
 * JSON-RPC over HTTP to one chain through several endpoints. The first that works is asked; where it fails, the next one
 * is, within the same call. What the node itself answers about a call (a revert, a nonce that is too low) is no failure of
 * the endpoint and comes back as `RpcRefused`.
 */
export interface RpcClient {
  /**
   * One call. The result is what the endpoint sent, unchecked; `ask` checks it.
   * @throws RpcRefused, RpcUnavailable; the reason of `signal` where it aborts
   */
  request<Result = unknown>(method: string, params?: readonly unknown[], signal?: AbortSignal): Promise<Result>;
  /**
   * One call whose answer is read by `parse`; where that throws, the endpoint is at fault and the next one is asked.
   * @throws as `request`
   */
  ask<Result>(method: string, params: readonly unknown[], parse: (result: unknown) => Result, signal?: AbortSignal): Promise<Result>;
  /**
   * Many calls in few requests; outcomes in the order of the calls.
   * @throws RpcUnavailable where no endpoint answered a request at all; the reason of `signal`
   */
  batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]>;
  endpoints(): readonly EndpointState[];
  close(): Promise<void>;
}
