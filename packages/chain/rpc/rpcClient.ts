/** One JSON-RPC call. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** Outcome of one call in a batch. */
export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: Error };

/** Status of one endpoint, for logs and status pages. It contains no path, query or credentials. */
export interface EndpointState {
  /** Host and port. */
  host: string;
  /** Whether the endpoint is pausing after a failure. A resting endpoint is asked only after all others. */
  resting: boolean;
  /** Seconds by which the newest block is older than that of another endpoint, if more than a minute; otherwise 0. Such an endpoint is asked after the others. */
  behindSeconds: number;
  /** Number of consecutive failures. */
  failures: number;
  /** The last failure as a sentence; null if there was none. */
  lastFault: string | null;
  /** Time of the last failure, milliseconds since the epoch. */
  lastFaultAt: number | null;
  /** Duration of the last answer in milliseconds; null before the first answer. */
  latencyMs: number | null;
  /** Id of the chain that the endpoint serves if it is not the required one; null otherwise, and as long as it is not known. */
  otherChain: bigint | null;
  requests: number;
}

/**
 * JSON-RPC over HTTP to one chain through several endpoints. Each call goes to the first working endpoint that follows the chain; if the endpoint fails, the
 * same call goes to the next one. An error that the node returns for a call (a revert, a nonce too low) is not a failure of the
 * endpoint; the client throws this error as RpcRefused.
 */
export interface RpcClient {
  /**
   * Sends one call. The result is not checked; use `ask` for checked results.
   * @throws RpcRefused, RpcUnavailable; the reason of `signal` if it aborts
   */
  request<Result = unknown>(method: string, params?: readonly unknown[], signal?: AbortSignal): Promise<Result>;
  /**
   * Sends one call and parses the result. If `parse` throws, the endpoint counts as failed and the next one is asked.
   * @throws the errors of `request`
   */
  ask<Result>(method: string, params: readonly unknown[], parse: (result: unknown) => Result, signal?: AbortSignal): Promise<Result>;
  /**
   * Sends many calls in few requests. The outcomes have the order of the calls.
   * @throws RpcUnavailable if no endpoint answered a request; the reason of `signal`
   */
  batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]>;
  endpoints(): readonly EndpointState[];
  close(): Promise<void>;
}
