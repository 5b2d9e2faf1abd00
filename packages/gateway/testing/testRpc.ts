import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';

/** Answers a call in place of the chain, or passes it on. */
export type Intercept = (call: RpcCall, pass: () => Promise<unknown>) => Promise<unknown>;

/** An RPC whose every call goes through `intercept` first, also those of batches. */
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

/** What a client throws where nobody answers. */
export function unavailable(method: string): RpcUnavailable {
  return new RpcUnavailable(method, []);
}

/** What a node says that has another view of the world. */
export function refused(method: string, said: string, code = -32000): RpcRefused {
  return new RpcRefused('test', method, { code, said, data: undefined });
}
