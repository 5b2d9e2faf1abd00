import type { TlsOptions } from '@vouch/platform/outbound/openAgents';
import { openConnections } from '@vouch/platform/outbound/openConnections';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { busyFault, mayOthersKnow } from './answer.ts';
import { callBatch } from './callBatch.ts';
import { Endpoint, inOrder, type Connect } from './endpoint.ts';
import { HeadComparison } from './headComparison.ts';
import { EndpointFault, RpcRefused, RpcUnavailable } from './rpcErrors.ts';
import type { RpcCall, RpcClient, RpcOutcome } from './rpcClient.ts';

export interface RpcClientOptions {
  /** http(s) URLs in order of preference. */
  urls: readonly string[];
  /** Time limit of one request to one endpoint, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** Maximum size of an answer in bytes. Default: 16 MiB. */
  answerBytesMax?: number;
  /** Maximum number of calls in one request; nodes reject or truncate long batches. Default: 100. */
  batchCallsMax?: number;
  /** TLS settings for endpoints with a private CA or with client certificates. */
  tls?: TlsOptions;
  /**
   * Id of the chain. An endpoint that serves another chain counts as failed. The id is read before the first call, after a failure, and once per
   * minute. Several endpoints are also compared by their newest blocks, twice a minute. By default, the endpoints may serve any chain.
   */
  chainId?: bigint;
}

/**
 * Creates an RPC client. No request is sent before the first call.
 * @param connect opens the HTTP connections of one endpoint; simulations replace this function
 * @throws Error if a URL is not http(s), or if `urls` is empty
 * @example
 * const rpc = createRpcClient({ urls: ['http://127.0.0.1:8545'] }, systemInterfaces);
 * const head = await getBlock(rpc, 'latest');
 */
export function createRpcClient(
  options: RpcClientOptions, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>, connect: Connect = openConnections,
): RpcClient {
  const { urls, timeoutMs = 10_000, answerBytesMax = 16 * 2 ** 20, batchCallsMax = 100, tls, chainId } = options;
  if (urls.length === 0) throw new Error('An RPC client needs at least one URL.');
  const limits = { timeoutMs, answerBytesMax, ...(tls === undefined ? {} : { tls }), ...(chainId === undefined ? {} : { chainId }) };
  const endpoints = urls.map((url) => new Endpoint(url, limits, system, connect));
  const heads = chainId === undefined ? null : new HeadComparison(endpoints, system);
  const ask: RpcClient['ask'] = (method, params, parse, signal) => {
    heads?.begin();
    return askInTurn(endpoints, { method, params }, parse, signal);
  };
  return {
    request: <Result>(method: string, params: readonly unknown[] = [], signal?: AbortSignal) =>
      ask(method, params, (result) => result as Result, signal),
    ask,
    async batch(calls, signal) {
      heads?.begin();
      const outcomes: RpcOutcome[] = [];
      for (let at = 0; at < calls.length; at += batchCallsMax) {
        outcomes.push(...await callBatch(endpoints, calls.slice(at, at + batchCallsMax), signal));
      }
      return outcomes;
    },
    endpoints: () => endpoints.map((endpoint) => endpoint.state()),
    close: async () => endpoints.forEach((endpoint) => endpoint.close()),
  };
}

async function askInTurn<Result>(
  endpoints: readonly Endpoint[], call: RpcCall, parse: (result: unknown) => Result, signal?: AbortSignal,
): Promise<Result> {
  const faults: EndpointFault[] = [];
  let refusal: RpcRefused | null = null;
  for (const endpoint of inOrder(endpoints)) {
    try {
      const result = parseResult(endpoint, call.method, await endpoint.call(call, signal), parse);
      endpoint.note(null);
      return result;
    } catch (error) {
      if (error instanceof EndpointFault) {
        endpoint.note(error);
        faults.push(error);
      } else if (error instanceof RpcRefused) {
        endpoint.note(busyFault(error));
        if (!mayOthersKnow(error)) throw error;
        refusal ??= error;
      } else {
        throw error;
      }
    }
  }
  throw refusal ?? new RpcUnavailable(call.method, faults);
}

function parseResult<Result>(endpoint: Endpoint, method: string, result: unknown, parse: (result: unknown) => Result): Result {
  try {
    return parse(result);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the result cannot be parsed';
    throw new EndpointFault(endpoint.address.host, 'unreadable', `answered ${method} with an invalid result: ${why}`, error);
  }
}
