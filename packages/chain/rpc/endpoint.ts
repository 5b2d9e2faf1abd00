import { setMaxListeners } from 'node:events';
import type { TlsOptions } from '@vouch/platform/outbound/openAgents';
import { openConnections, type Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed, type OutboundAnswer } from '@vouch/platform/outbound/outbound';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { readAnswer, readBatchAnswer, type SentCall } from './answer.ts';
import { readEndpointAddress, type EndpointAddress } from './endpointAddress.ts';
import { EndpointFault } from './rpcErrors.ts';
import type { EndpointState, RpcCall, RpcOutcome } from './rpcClient.ts';

interface EndpointLimits {
  /** From the first byte sent to the last one received. */
  timeoutMs: number;
  /** Longest answer. */
  answerBytesMax: number;
  /** Certificates of our own, in PEM. */
  tls?: TlsOptions;
}

const connectionsMax = 32;

/** An endpoint that failed rests for this long, doubled with every further failure. */
const restMsFirst = 1_000;
const restMsMax = 30_000;

/** One endpoint. Every exchange is bounded in time and bytes. */
export class Endpoint {
  readonly address: EndpointAddress;
  readonly #url: URL;
  readonly #connections: Connections;
  readonly #limits: EndpointLimits;
  readonly #doors: Pick<SystemInterfaces, 'clock' | 'timers'>;
  #nextId = 1;
  #restsUntil = 0;
  /** Whether it was seen to refuse batches. */
  takesBatches = true;
  #state: Omit<EndpointState, 'host' | 'resting'> = {
    failures: 0, lastFault: null, lastFaultAt: null, latencyMs: null, requests: 0,
  };

  constructor(url: string, limits: EndpointLimits, doors: Pick<SystemInterfaces, 'clock' | 'timers'>) {
    this.address = readEndpointAddress(url);
    this.#limits = limits;
    this.#doors = doors;
    this.#url = new URL(this.address.path, this.address.origin);
    this.#connections = openConnections({ connectionsPerOrigin: connectionsMax, keep: true, tls: limits.tls }, doors.timers);
  }

  get resting(): boolean {
    return this.#doors.clock.now() < this.#restsUntil;
  }

  state(): EndpointState {
    return { host: this.address.host, resting: this.resting, ...this.#state };
  }

  /** @throws EndpointFault, RpcRefused; the reason of `signal` */
  async call({ method, params }: RpcCall, signal?: AbortSignal): Promise<unknown> {
    const call = { method, params, id: this.#nextId++ };
    return readAnswer(this.address, call, await this.#exchange(method, envelope(call), signal));
  }

  /**
   * All calls in one request. Null where the endpoint answers a batch with something else than a list: it takes none.
   * @throws EndpointFault; the reason of `signal`
   */
  async batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[] | null> {
    const sent: SentCall[] = calls.map(({ method, params }) => ({ method, params, id: this.#nextId++ }));
    const answer = await this.#exchange(`a batch of ${calls.length} calls`, sent.map(envelope), signal);
    return Array.isArray(answer) ? readBatchAnswer(this.address, sent, answer) : null;
  }

  /** Notes what came of a call, for the order in which endpoints are asked. */
  note(fault: EndpointFault | null): void {
    if (fault === null) {
      this.#state.failures = 0;
      this.#restsUntil = 0;
      return;
    }
    const now = this.#doors.clock.now();
    this.#state.failures += 1;
    this.#state.lastFault = fault.message;
    this.#state.lastFaultAt = now;
    this.#restsUntil = now + Math.min(restMsMax, restMsFirst * 2 ** (this.#state.failures - 1));
  }

  close(): void {
    this.#connections.close();
  }

  async #exchange(what: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const started = this.#doors.clock.now();
    const { timeoutMs } = this.#limits;
    const stop = new AbortController();
    const answered = new AbortController();
    const cancel = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) throw signal.reason;
    if (signal !== undefined) {
      // A caller may ask for any number of views at once; each listener is removed with its answer.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', cancel, { once: true });
    }
    void this.#doors.timers.sleep(timeoutMs, answered.signal).then(() => {
      if (!answered.signal.aborted) {
        stop.abort(new EndpointFault(this.address.host, 'silent', `did not answer ${what} within ${timeoutMs / 1000} s`));
      }
    });
    this.#state.requests += 1;
    // One call at a time finds out whether an endpoint that failed is back; the others do not wait for it.
    if (this.#state.failures > 0) this.#restsUntil = started + timeoutMs;
    try {
      const text = await this.#send(what, body, stop.signal);
      this.#state.latencyMs = this.#doors.clock.now() - started;
      return this.#parse(what, text);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (stop.signal.aborted) throw stop.signal.reason;
      throw error instanceof EndpointFault ? error : this.#unreachable(error);
    } finally {
      // Without a reason an exception is made for nobody, with its stack.
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
    const text = await this.#readBody(answer);
    const { status } = answer;
    // Some nodes answer a refused call with 4xx and a JSON-RPC error; that says more than the status.
    if (status === 200 || (status >= 400 && status < 500 && status !== 429 && /^\s*[[{].*"jsonrpc"/s.test(text.slice(0, 500)))) {
      return text;
    }
    const busy = status === 429 || status === 503;
    throw new EndpointFault(host, busy ? 'busy' : 'status', `answered ${what} with HTTP ${status}${describeStatus(status)}`, undefined, status);
  }

  async #readBody({ body }: OutboundAnswer): Promise<string> {
    const { answerBytesMax } = this.#limits;
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const part of body) {
        bytes += (part as Buffer).length;
        if (bytes > answerBytesMax) {
          throw new EndpointFault(this.address.host, 'too-large', `sent an answer of more than ${answerBytesMax} bytes`);
        }
        parts.push(part as Buffer);
      }
    } finally {
      body.destroy();
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #parse(what: string, text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new EndpointFault(this.address.host, 'unreadable', `answered ${what} with what is not JSON`);
    }
  }

  #unreachable(error: unknown): EndpointFault {
    return new EndpointFault(this.address.host, 'unreachable', error instanceof OutboundFailed ? error.what : 'could not be asked', error);
  }
}

/** Those that do not rest first, each group in the order of preference: a resting one is still asked before giving up. */
export function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  const rested = endpoints.filter(({ resting }) => !resting);
  return [...rested, ...endpoints.filter((each) => !rested.includes(each))];
}

function envelope({ id, method, params }: SentCall): object {
  return { jsonrpc: '2.0', id, method, params };
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return ' (it wants a valid key: look at the configured address)';
  if (status === 404) return ' (no such path there)';
  if (status === 429) return ' (too many requests)';
  return status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
}
