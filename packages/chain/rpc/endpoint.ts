import { setMaxListeners } from 'node:events';
import type { TlsOptions } from '@vouch/platform/outbound/openAgents';
import { collectBody } from '@vouch/platform/outbound/collectBody';
import type { Connections, openConnections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { parseAnswer, parseBatchAnswer, type SentCall } from './answer.ts';
import { parseEndpointAddress, type EndpointAddress } from './endpointAddress.ts';
import { parseQuantity } from './parseResult.ts';
import { EndpointFault } from './rpcErrors.ts';
import type { EndpointState, RpcCall, RpcOutcome } from './rpcClient.ts';

interface EndpointLimits {
  /** Time limit in milliseconds, from the first byte sent to the last byte received. */
  timeoutMs: number;
  /** Maximum size of an answer in bytes. */
  answerBytesMax: number;
  /** CA and client certificates in PEM. */
  tls?: TlsOptions;
  /** Id of the chain that the endpoint must serve; absent if any chain will do. */
  chainId?: bigint;
}

/** Opens HTTP connections. */
export type Connect = (...parameters: Parameters<typeof openConnections>) => Connections;

const connectionsMax = 32;

/** Pause of an endpoint after its first failure; doubled with each further failure. */
const restMsFirst = 1_000;
const restMsMax = 30_000;
/** Interval of reading the chain id again. A failure of the endpoint ends it early, because another node may answer afterwards. */
const chainCheckedMs = 60_000;

/** One RPC endpoint. Each request is limited in time and in size of the answer. */
export class Endpoint {
  readonly address: EndpointAddress;
  readonly #url: URL;
  readonly #connections: Connections;
  readonly #limits: EndpointLimits;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>;
  #nextId = 1;
  /** Time by `elapsedMs`. */
  #restsUntil = -Infinity;
  /** Time by `elapsedMs` until which the endpoint counts as one of the required chain. */
  #ofChainUntil = -Infinity;
  /** Seconds by which the newest block is older than that of another endpoint; 0 if few or not known (`HeadComparison`). */
  behindSeconds = 0;
  /** False once the endpoint has rejected a batch. */
  takesBatches = true;
  #state: Omit<EndpointState, 'host' | 'resting' | 'behindSeconds'> = {
    failures: 0, lastFault: null, lastFaultAt: null, latencyMs: null, otherChain: null, requests: 0,
  };

  constructor(url: string, limits: EndpointLimits, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>, connect: Connect) {
    this.address = parseEndpointAddress(url);
    this.#limits = limits;
    this.#system = system;
    this.#url = new URL(this.address.path, this.address.origin);
    this.#connections = connect({ connectionsPerOrigin: connectionsMax, keep: true, tls: limits.tls }, system.timers);
  }

  get resting(): boolean {
    return this.#system.elapsedMs() < this.#restsUntil;
  }

  state(): EndpointState {
    return { host: this.address.host, resting: this.resting, behindSeconds: this.behindSeconds, ...this.#state };
  }

  /**
   * Sends one call; reads the chain id first if a chain is required. `eth_chainId` itself is sent at once.
   * @throws EndpointFault, also if the endpoint serves another chain; RpcRefused; the reason of `signal`
   */
  async call({ method, params }: RpcCall, signal?: AbortSignal): Promise<unknown> {
    if (method !== 'eth_chainId' && this.#mustReadChain()) await this.#requireChain(signal);
    return this.#callUnchecked({ method, params }, signal);
  }

  /**
   * Sends all calls in one request.
   * @returns null if the answer is not a list: the endpoint does not support batches
   * @throws EndpointFault, also if the endpoint serves another chain; the reason of `signal`
   */
  async batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[] | null> {
    if (this.#mustReadChain()) await this.#requireChain(signal);
    const sent: SentCall[] = calls.map(({ method, params }) => ({ method, params, id: this.#nextId++ }));
    const answer = await this.#exchange(`a batch of ${calls.length} calls`, sent.map(envelope), signal);
    return Array.isArray(answer) ? parseBatchAnswer(this.address, sent, answer) : null;
  }

  /** Records the result of a call; inOrder uses it to order the endpoints. */
  note(fault: EndpointFault | null): void {
    if (fault === null) {
      this.#state.failures = 0;
      this.#restsUntil = -Infinity;
      return;
    }
    this.#ofChainUntil = -Infinity;
    this.#state.failures += 1;
    this.#state.lastFault = fault.message;
    this.#state.lastFaultAt = this.#system.clock.now();
    this.#restsUntil = this.#system.elapsedMs() + Math.min(restMsMax, restMsFirst * 2 ** (this.#state.failures - 1));
  }

  close(): void {
    this.#connections.close();
  }

  async #callUnchecked({ method, params }: RpcCall, signal?: AbortSignal): Promise<unknown> {
    const call = { method, params, id: this.#nextId++ };
    return parseAnswer(this.address, call, await this.#exchange(method, envelope(call), signal));
  }

  /** Asked without an await: a failed endpoint must rest for other calls from the moment in which one call tests it. */
  #mustReadChain(): boolean {
    return this.#limits.chainId !== undefined && this.#system.elapsedMs() >= this.#ofChainUntil;
  }

  /** An endpoint of another chain answers every call plausibly: with nonces, balances and blocks of that chain. */
  async #requireChain(signal?: AbortSignal): Promise<void> {
    const { chainId } = this.#limits;
    const served = await this.#fetchChainId(signal);
    this.#state.otherChain = served === chainId ? null : served;
    if (served !== chainId) throw new EndpointFault(this.address.host, 'other-chain', `serves chain ${served}, but chain ${chainId} is configured`);
    this.#ofChainUntil = this.#system.elapsedMs() + chainCheckedMs;
  }

  async #fetchChainId(signal?: AbortSignal): Promise<bigint> {
    try {
      return parseQuantity(await this.#callUnchecked({ method: 'eth_chainId', params: [] }, signal));
    } catch (error) {
      if (error instanceof EndpointFault || signal?.aborted === true) throw error;
      throw new EndpointFault(this.address.host, 'unreadable', `did not return its chain id: ${(error as Error).message}`, error);
    }
  }

  async #exchange(what: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const started = this.#system.elapsedMs();
    const { timeoutMs } = this.#limits;
    const stop = new AbortController();
    const answered = new AbortController();
    const cancel = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) throw signal.reason;
    if (signal !== undefined) {
      // A caller may start any number of calls with one signal, so the warning for many listeners is disabled. Each listener is removed below.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', cancel, { once: true });
    }
    void this.#system.timers.sleep(timeoutMs, answered.signal).then(() => {
      if (!answered.signal.aborted) {
        stop.abort(new EndpointFault(this.address.host, 'silent', `did not answer ${what} within ${timeoutMs / 1000} s`));
      }
    });
    this.#state.requests += 1;
    // While one call tests whether a failed endpoint has recovered, other calls treat the endpoint as resting.
    if (this.#state.failures > 0) this.#restsUntil = started + timeoutMs;
    try {
      const text = await this.#send(what, body, stop.signal);
      this.#state.latencyMs = this.#system.elapsedMs() - started;
      return this.#parse(what, text);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (stop.signal.aborted) throw stop.signal.reason;
      throw error instanceof EndpointFault ? error : this.#unreachable(error);
    } finally {
      // The explicit reason avoids the cost of the DOMException with stack trace that abort() would create.
      answered.abort(null);
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #send(what: string, body: unknown, signal: AbortSignal): Promise<string> {
    const { authorization, host } = this.address;
    const answer = await this.#connections.send(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization === null ? {} : { authorization }) },
      body: JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value)),
      signal,
    });
    const { answerBytesMax } = this.#limits;
    const tooLong = (): Error => new EndpointFault(host, 'too-large', `sent an answer of more than ${answerBytesMax} bytes`);
    const text = (await collectBody(answer.body, answerBytesMax, tooLong)).toString('utf8');
    const { status } = answer;
    // Some nodes send a JSON-RPC error with a 4xx status; the error is more informative than the status.
    if (status === 200 || (status >= 400 && status < 500 && status !== 429 && /^\s*[[{].*"jsonrpc"/s.test(text.slice(0, 500)))) {
      return text;
    }
    const busy = status === 429 || status === 503;
    throw new EndpointFault(host, busy ? 'busy' : 'status', `answered ${what} with HTTP ${status}${describeStatus(status)}`, undefined, status);
  }

  #parse(what: string, text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new EndpointFault(this.address.host, 'unreadable', `answered ${what} with invalid JSON`);
    }
  }

  #unreachable(error: unknown): EndpointFault {
    return new EndpointFault(this.address.host, 'unreachable', error instanceof OutboundFailed ? error.what : 'could not be reached', error);
  }
}

/** Orders endpoints: first those that follow the chain, then those that are behind, then the resting ones, each group in order of preference. */
export function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  const rank = ({ resting, behindSeconds }: Endpoint): number => (resting ? 2 : behindSeconds > 0 ? 1 : 0);
  const ranks = new Map(endpoints.map((endpoint) => [endpoint, rank(endpoint)]));
  return endpoints.toSorted((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
}

function envelope({ id, method, params }: SentCall): object {
  return { jsonrpc: '2.0', id, method, params };
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return ' (a valid key is required: check the configured URL)';
  if (status === 404) return ' (path not found)';
  if (status === 429) return ' (too many requests)';
  return status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
}
