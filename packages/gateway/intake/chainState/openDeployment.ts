import { isRevert } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { deploymentName } from '../../requests/gatewayRequest.ts';
import { unavailable, type ChainReader } from './chainReader.ts';
import { views, Words, type View } from './views.ts';

/** Chain and contract as configured. */
export interface NamedChain {
  chainId: bigint;
  contract: Hex;
  /** Address of Multicall3, for a contract that does not isolate failing entries. */
  multicall: Hex;
  /** Hash of the EIP-712 domain that messages are signed for. */
  domain: Hex;
}

/** Verified facts of the chain and the contract. */
export interface Deployment {
  /** Name that scopes all rows, from `deploymentName`. */
  name: string;
  genesisHash: Hex;
  /** Whether the contract is Vouch's own, with additional views and isolation of failing entries. */
  native: boolean;
  /** Address of the contract that holds the limits; null if the contract does not name one. */
  settings: Hex | null;
}

/**
 * Verifies that the endpoints serve the configured chain and contract.
 * @throws Problem `chain-unavailable` if chain id, contract, Multicall3 or domain do not match the settings, or if an answer is missing
 */
export async function openDeployment(reader: Pick<ChainReader, 'ask'>, { chainId, contract, multicall, domain }: NamedChain): Promise<Deployment> {
  const call = (view: View<unknown>) => ({ method: 'eth_call', params: [{ to: contract, data: view.data }, 'latest'] });
  const [id, genesis, code, multicallCode, isolation, settings, theirDomain] = await reader.ask([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'eth_getCode', params: [contract, 'latest'] },
    { method: 'eth_getCode', params: [multicall, 'latest'] },
    call(views.supportsIsolation()),
    call(views.settings()),
    call(views.domainHash()),
  ]);
  const served = Number(textOf(id) ?? Number.NaN);
  if (served !== Number(chainId)) {
    const which = Number.isSafeInteger(served) ? `serves chain ${served}` : 'does not return its chain id';
    throw unavailable(`The RPC endpoint ${which}, but the gateway is configured for chain ${chainId}.`);
  }
  const genesisHash = hashOf(genesis);
  if (genesisHash === null) throw unavailable('The RPC endpoint does not have the first block of its chain.');
  if ((textOf(code) ?? '0x') === '0x') throw unavailable(`There is no contract at ${contract}.`);
  // A contract with another domain would revert every message signed for the configured domain.
  if ((decode(theirDomain, views.domainHash()) ?? domain) !== domain) {
    throw unavailable('The signing domain of the contract differs from the settings of the gateway.');
  }
  const native = decode(isolation, views.supportsIsolation()) === true;
  // A transaction to an address without code succeeds without effect, so every message would be told that the contract rejected it.
  if (!native && textOf(multicallCode) === '0x') throw unavailable(`The contract needs Multicall3, and there is no contract at ${multicall}.`);
  return { name: deploymentName(chainId, contract, genesisHash), genesisHash, native, settings: native ? decode(settings, views.settings()) : null };
}

function textOf(outcome: RpcOutcome | undefined): Hex | null {
  return outcome?.ok === true && typeof outcome.result === 'string' && /^0x[0-9a-f]*$/i.test(outcome.result)
    ? `0x${outcome.result.slice(2).toLowerCase()}` : null;
}

/** Whether the contract failed; some nodes call a revert a failed execution. */
function isExecutionFault(error: unknown): boolean {
  return isRevert(error) || (error instanceof RpcRefused && /vm execution/i.test(error.said));
}

function hashOf(outcome: RpcOutcome | undefined): Hex | null {
  if (outcome?.ok !== true || typeof outcome.result !== 'object' || outcome.result === null) return null;
  const { hash } = outcome.result as { hash?: unknown };
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? `0x${hash.slice(2).toLowerCase()}` : null;
}

/**
 * Decodes a view's result; null if the contract does not have the view.
 * @throws Problem `chain-unavailable` if the contract was not asked: a refusal by a busy endpoint says nothing about the contract
 */
function decode<Value>(outcome: RpcOutcome | undefined, view: View<Value>): Value | null {
  if (outcome?.ok !== true && !isExecutionFault(outcome?.error)) throw unavailable('The RPC endpoint does not answer for the contract.');
  const text = textOf(outcome);
  if (text === null || text === '0x') return null;
  try {
    return view.read(new Words(text));
  } catch {
    return null;
  }
}
