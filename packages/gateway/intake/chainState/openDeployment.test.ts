import type { RpcCall, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { expect, test } from 'vitest';
import { openDeployment, type NamedChain } from './openDeployment.ts';
import { views } from './views.ts';

const word = (value: string): `0x${string}` => `0x${value.padStart(64, '0')}`;
const named: NamedChain = { chainId: 1n, contract: `0x${'5e'.repeat(20)}`, multicall: `0x${'ca'.repeat(20)}`, domain: word('d0') };
const refusal = (code: number, said: string): RpcOutcome => ({ ok: false, error: new RpcRefused('test', 'eth_call', { code, said, data: undefined }) });
const answers: ReadonlyMap<string, `0x${string}`> = new Map([[views.supportsIsolation().data, word('1')], [views.settings().data, word('5e')], [views.domainHash().data, named.domain]]);

/** Answers for a contract of ours, except the given answers by method or data of the view. */
function chainWith(others: Record<string, RpcOutcome>): Parameters<typeof openDeployment>[0] {
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    const [first] = params as [{ data?: string } | string];
    const key = method === 'eth_call' ? (first as { data: string }).data : method === 'eth_getCode' ? first as string : method;
    const results: Record<string, unknown> = { eth_chainId: '0x1', eth_getBlockByNumber: { hash: word('9') }, [named.contract]: '0x60', [named.multicall]: '0x60' };
    return others[key] ?? { ok: true, result: results[key] ?? answers.get(key) };
  };
  return { ask: async (calls) => calls.map(answer) };
}

const { data: isolation } = views.supportsIsolation();

test.each([[-32005, 'limit exceeded'], [-32000, 'header not found'], [-32603, 'internal error']])('a refusal of the endpoint (%i %s) is not the answer of a contract that lacks the view', async (code, said) => {
  for (const view of [views.supportsIsolation(), views.settings(), views.domainHash()]) {
    await expect(openDeployment(chainWith({ [view.data]: refusal(code, said) }), named), view.data).rejects.toMatchObject({ code: 'chain-unavailable' });
  }
});

test.each([[3, 'execution reverted'], [-32000, 'execution reverted'], [-32015, 'VM execution error.']])('a contract that reverts (%i %s) lacks the view', async (code, said) => {
  expect(await openDeployment(chainWith({ [isolation]: refusal(code, said) }), named)).toMatchObject({ native: false, settings: null });
});

test('a contract that needs Multicall3 is not served without it', async () => {
  const none = { [named.multicall]: { ok: true, result: '0x' } } as const;
  await expect(openDeployment(chainWith({ ...none, [isolation]: refusal(3, 'execution reverted') }), named)).rejects.toThrow('needs Multicall3, and there is no contract at 0xcaca');
  expect(await openDeployment(chainWith(none), named)).toMatchObject({ native: true });
});
