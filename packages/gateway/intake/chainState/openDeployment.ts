import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { deploymentName } from '../../requests/gatewayRequest.ts';
import { unavailable, type ChainReader } from './chainReader.ts';
import { views, Words, type View } from './views.ts';

/** What the settings name. */
export interface NamedChain {
  chainId: bigint;
  contract: Hex;
  /** Hash of the domain that messages are signed for. */
  domain: Hex;
}

/** What is known of the chain and the contract since they were last looked at. */
export interface Deployment {
  /** As rows are scoped by it. */
  name: string;
  genesisHash: Hex;
  /** Our own contract, with its further views and its isolation of failing entries. */
  native: boolean;
  /** Where its limits stand; null for a contract that does not tell them. */
  settings: Hex | null;
}

/** Asks the chain what it is. @throws Problem `chain-unavailable` where it is not what the settings name */
export async function openDeployment(reader: ChainReader, { chainId, contract, domain }: NamedChain): Promise<Deployment> {
  const call = (view: View<unknown>) => ({ method: 'eth_call', params: [{ to: contract, data: view.data }, 'latest'] });
  const [id, genesis, code, isolation, settings, theirDomain] = await reader.ask([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'eth_getCode', params: [contract, 'latest'] },
    call(views.supportsIsolation()),
    call(views.settings()),
    call(views.domainHash()),
  ]);
  const served = Number(textOf(id) ?? Number.NaN);
  if (served !== Number(chainId)) {
    const which = Number.isSafeInteger(served) ? `serves chain ${served}` : 'does not name its chain';
    throw unavailable(`The endpoint ${which}, and the gateway is set up for ${chainId}.`);
  }
  const genesisHash = hashOf(genesis);
  if (genesisHash === null) throw unavailable('The endpoint does not know the first block of its chain.');
  if ((textOf(code) ?? '0x') === '0x') throw unavailable(`There is no contract at ${contract}.`);
  // It would refuse every message that is signed for ours.
  if ((decode(theirDomain, views.domainHash()) ?? domain) !== domain) {
    throw unavailable('Its contract has another signing domain than the gateway is set up for.');
  }
  const native = decode(isolation, views.supportsIsolation()) === true;
  return { name: deploymentName(chainId, contract, genesisHash), genesisHash, native, settings: native ? decode(settings, views.settings()) : null };
}

function textOf(outcome: RpcOutcome | undefined): Hex | null {
  return outcome?.ok === true && typeof outcome.result === 'string' && /^0x[0-9a-f]*$/i.test(outcome.result)
    ? `0x${outcome.result.slice(2).toLowerCase()}` : null;
}

function hashOf(outcome: RpcOutcome | undefined): Hex | null {
  if (outcome?.ok !== true || typeof outcome.result !== 'object' || outcome.result === null) return null;
  const { hash } = outcome.result as { hash?: unknown };
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? `0x${hash.slice(2).toLowerCase()}` : null;
}

/** The value of a view, null where the contract does not have it. */
function decode<Value>(outcome: RpcOutcome | undefined, view: View<Value>): Value | null {
  const text = textOf(outcome);
  if (text === null || text === '0x') return null;
  try {
    return view.read(new Words(text));
  } catch {
    return null;
  }
}
