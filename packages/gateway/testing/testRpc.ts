import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';

/** Answers a call instead of the chain, or passes the call on. */
export type Intercept = (call: RpcCall, pass: () => Promise<unknown>) => Promise<unknown>;

/** Wraps an RPC client so that every call, also in batches, goes through `intercept`. */
export function interceptRpc(inner: Pick<RpcClient, 'request' | 'endpoints' | 'close'>, intercept: Intercept): RpcClient {
  const answer = (call: RpcCall): Promise<unknown> => intercept(call, () => inner.request(call.method, call.params));
  return {
    ...inner,
    request: async <Result>(method: string, params: readonly unknown[] = []) => (await answer({ method, params })) as Result,
    ask: async (method, params, parse) => parse(await answer({ method, params })),
    batch: (calls) => Promise.all(calls.map(async (call): Promise<RpcOutcome> => {
      try {
        return { ok: true, result: await answer(call) };
      } catch (error) {
        if (error instanceof RpcUnavailable) throw error;
        return { ok: false, error: error as Error };
      }
    })),
  };
}

/** The error that a client throws if no endpoint answers. */
export function unavailable(method: string): RpcUnavailable {
  return new RpcUnavailable(method, []);
}

/** The error for a node's refusal of a call. */
export function refused(method: string, said: string, code = -32000): RpcRefused {
  return new RpcRefused('test', method, { code, said, data: undefined });
}
