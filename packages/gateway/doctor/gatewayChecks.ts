import type { DoctorCheck, Finding, Platform } from '@vouch/platform/product/product';
import { missingChainSettings } from '../intake/chainSettings.ts';
import { once, type GatewayParts } from '../intake/gatewayParts.ts';
import { localChainId } from '../intake/localChain.ts';
import type { GatewaySettings } from '../settings.ts';
import { checkBudgets } from './budgetCheck.ts';
import { checkChain, checkClock, checkContract, checkDomain, describeEndpoints, reachesChain } from './chainChecks.ts';
import { checkKeeper } from './keeperCheck.ts';
import { checkQueue } from './queueCheck.ts';
import type { RelayerKey } from '../sending/relayerKeys.ts';
import { addressesOf, checkRelayers, noRelayer, openRelayers, type OpenedKey } from './relayerCheck.ts';

/** Checks of `vouch doctor`: what the gateway needs of the chain, of the keys that pay, and of this machine. */
export function gatewayChecks(
  platform: Pick<Platform, 'clock' | 'database'>, settings: GatewaySettings, parts: GatewayParts | null, relayerKeys: readonly RelayerKey[],
): DoctorCheck[] {
  const configured: DoctorCheck = { name: 'gateway', run: async () => [checkConfigured(settings)] };
  if (parts === null) return [configured];
  // Opening a keystore takes a second.
  const relayers = once(() => openRelayers(relayerKeys));
  const reached = once(() => reachesChain(parts));
  // Where no endpoint answers that is the finding; the others would wait in vain, 5 s each, and say the same in other words.
  const ofChain = (name: string, check: () => Promise<Finding[]>): DoctorCheck => ({ name, run: async () => ((await reached()) ? check() : []) });
  return [
    configured,
    { name: 'gateway RPC', run: async () => describeEndpoints(parts, await reached()) },
    ofChain('gateway chain', async () => [await checkChain(parts)]),
    ofChain('gateway contract', async () => [await checkContract(parts)]),
    ofChain('gateway domain', async () => [await checkDomain(parts, settings)]),
    ofChain('gateway clock', async () => [await checkClock(parts, platform.clock)]),
    relayerKeys.length > 0 ? ofChain('gateway relayer', async () => checkRelayers(parts, settings.min_balance_eth, await relayers())) : { name: 'gateway relayer', run: async () => [noRelayer] },
    ofChain('gateway queue', async () => examineQueue(platform, parts, relayers)),
    ...(relayerKeys.length > 0 ? [ofChain('gateway keeper', async () => examineKeeper(platform, settings, parts))] : []),
    { name: 'gateway budgets', run: () => checkBudgets(platform, parts.budgets) },
    { name: 'signatures', run: async () => [await checkRecovery(parts)] },
  ];
}

/** What is wrong with the chain or the keys is a finding of its own: here it only says what cannot be told. */
async function examineQueue(platform: Pick<Platform, 'clock' | 'database'>, parts: GatewayParts, relayers: () => Promise<readonly OpenedKey[]>): Promise<Finding[]> {
  const deployment = await parts.chain.deployment().catch(() => null);
  if (deployment === null) {
    return [{ status: 'warning', detail: 'not examined: the gateway does not take the chain for the one that its settings name', remedy: 'Mend what stands above, then run vouch doctor again.' }];
  }
  return checkQueue(platform, deployment.name, addressesOf(await relayers()));
}

async function examineKeeper({ database }: Pick<Platform, 'database'>, settings: GatewaySettings, parts: GatewayParts): Promise<Finding[]> {
  const deployment = await parts.chain.deployment().catch(() => null);
  return deployment === null ? [] : [await checkKeeper(database, deployment.name, settings.keeper)];
}

function checkConfigured(settings: GatewaySettings): Finding {
  const missing = missingChainSettings(settings);
  if (missing.length === 0) {
    const local = settings.chain_id === localChainId ? ', a local chain' : '';
    return { status: 'ok', detail: `messages are accepted for chain ${settings.chain_id}${local}` };
  }
  const none = settings.chain_rpc_url === undefined && settings.chain_id === undefined && settings.contract_address === undefined;
  if (none) return { status: 'ok', detail: 'no chain is configured, so the gateway refuses messages; vouch serve --devnet starts a local one' };
  return { status: 'fault', detail: `messages are refused: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`, remedy: 'Set what is missing, or remove the other settings of the chain.' };
}

async function checkRecovery(parts: GatewayParts): Promise<Finding> {
  const { name } = await parts.signatures();
  if (name === 'secp256k1') return { status: 'ok', detail: 'signatures are checked by the native secp256k1' };
  return { status: 'ok', detail: 'signatures are checked by libauth (WebAssembly), which takes 2.4 times as long as the native secp256k1 from npm; npm rebuild secp256k1 builds that where there is a compiler' };
}
