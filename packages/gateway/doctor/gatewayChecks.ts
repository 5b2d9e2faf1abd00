import { localChainId } from '@vouch/chain/devnet/localChainId';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck, Platform } from '@vouch/platform/product/product';
import { defaultName, prefixOf, settingOf } from '../deployments/namedDeployment.ts';
import { missingChainSettings } from '../deployments/chainSettings.ts';
import { once, type GatewayParts, type ServedDeployment } from '../parts/gatewayParts.ts';
import { checkBudgets } from './budgetCheck.ts';
import { checkChain, checkClock, checkContract, checkDomain, describeEndpoints, reachesChain } from './chainChecks.ts';
import { checkActivity } from './activityCheck.ts';
import { checkQueue } from './queueCheck.ts';
import type { RelayerKey } from '../sending/relayerKeys.ts';
import { addressesOf, checkRelayers, describeNoRelayer, openRelayers, type OpenedKey } from './relayerCheck.ts';
import { checkSharing } from './sharingCheck.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** A deployment with its relayer keys. */
export interface ExaminedDeployment extends ServedDeployment {
  relayerKeys: readonly RelayerKey[];
}

type Machine = Pick<Platform, 'clock' | 'elapsedMs' | 'timers' | 'database'>;

/** A deployment whose keys are opened at most once, because opening a keystore takes a second. */
interface Examined {
  deployment: ExaminedDeployment;
  relayers(): Promise<readonly OpenedKey[]>;
}

/**
 * Builds the gateway's checks of `vouch doctor`: chain and relayer keys of each deployment, and the signature library of this
 * machine.
 */
export function gatewayChecks(platform: Machine, deployments: readonly ExaminedDeployment[]): DoctorCheck[] {
  const examined = deployments.map((deployment): Examined => ({ deployment, relayers: once(() => openRelayers(deployment.relayerKeys)) }));
  const first = deployments.find(({ parts }) => parts !== null)?.parts ?? null;
  return [
    ...examined.flatMap((each) => checksOf(platform, each, deployments)),
    ...(deployments.length < 2 ? [] : [{
      name: 'gateway deployments',
      run: async () => checkSharing(await Promise.all(examined.map(async ({ deployment, relayers }) => ({ deployment, addresses: addressesOf(await relayers()) })))),
    }]),
    ...(first === null ? [] : [{ name: 'signatures', run: async () => [await checkRecovery(first)] }]),
  ];
}

function checksOf(platform: Machine, { deployment, relayers }: Examined, all: readonly ExaminedDeployment[]): DoctorCheck[] {
  const { name, settings, parts, relayerKeys } = deployment;
  const nameOf = (part: string): string => ['gateway', ...(name === defaultName ? [] : [name]), ...(part === '' ? [] : [part])].join(' ');
  const configured: DoctorCheck = { name: nameOf(''), run: async () => [checkConfigured(deployment, all.length)] };
  if (parts === null) return [configured];
  const reached = once(() => reachesChain(parts));
  // If no endpoint answers, the RPC check reports the fault; the other checks are skipped, because each would wait 5 s for the same
  // fault.
  const ofChain = (part: string, check: () => Promise<Finding[]>): DoctorCheck => ({ name: nameOf(part), run: async () => ((await reached()) ? check() : []) });
  return [
    configured,
    { name: nameOf('RPC'), run: async () => describeEndpoints(parts, await reached()) },
    ofChain('chain', () => checkChain(parts, settings.chain_rpc_url ?? [], platform)),
    ofChain('contract', async () => [await checkContract(parts)]),
    ofChain('domain', async () => [await checkDomain(parts, settings)]),
    ofChain('clock', async () => [await checkClock(parts, platform.clock)]),
    relayerKeys.length > 0 ? ofChain('relayer', async () => checkRelayers(parts, settings.min_balance_eth, await relayers())) : { name: nameOf('relayer'), run: async () => [describeNoRelayer(name)] },
    ofChain('queue', async () => examineQueue(platform, parts, relayers, all)),
    ...(relayerKeys.length > 0 ? [ofChain('keeper', async () => examineActivity(platform, deployment, parts))] : []),
    { name: nameOf('budgets'), run: () => checkBudgets(platform, parts.budgets, name === defaultName ? '' : ` --deployment ${name}`) },
  ];
}

/**
 * Examines the queue. Other checks report faults of the chain and the keys; this check reports only that the queue was not
 * examined.
 */
async function examineQueue(platform: Machine, parts: GatewayParts, relayers: Examined['relayers'], all: readonly ExaminedDeployment[]): Promise<Finding[]> {
  const deployment = await parts.chain.deployment().catch(() => null);
  if (deployment === null) {
    return [gatewayFindings.found('queue-not-checked', 'not checked: the chain does not match the settings of the gateway')];
  }
  const others = all.flatMap((each) => (each.parts === null || each.name === parts.name ? [] : [each.parts.budgets.service]));
  const tellsLeftBehind = all.find((each) => each.parts !== null)?.name === parts.name;
  return checkQueue(platform, { deployment: deployment.name, name: parts.name, others, tellsLeftBehind }, addressesOf(await relayers()));
}

async function examineActivity({ database }: Machine, { name, settings }: ExaminedDeployment, parts: GatewayParts): Promise<Finding[]> {
  const deployment = await parts.chain.deployment().catch(() => null);
  return deployment === null ? [] : [await checkActivity(database, deployment.name, settings.keeper, settingOf(name, 'keeper'))];
}

function checkConfigured(deployment: ExaminedDeployment, deployments: number): Finding {
  const { name, settings } = deployment;
  const missing = missingChainSettings(deployment);
  if (missing.length === 0) {
    const local = settings.chain_id === localChainId ? ', a local chain' : '';
    const place = name === defaultName ? '' : ` at ${prefixOf(name)}`;
    return { status: 'ok', detail: `messages are accepted for chain ${settings.chain_id}${local}${place}` };
  }
  const none = settings.chain_rpc_url === undefined && settings.chain_id === undefined && settings.contract_address === undefined;
  if (none && deployments > 1) return { status: 'ok', detail: 'the environment variables configure no chain; messages are accepted for the deployments of the file' };
  if (none) return { status: 'ok', detail: 'no chain is configured, so the gateway rejects messages; vouch serve --devnet starts a local chain' };
  return gatewayFindings.found('chain-settings-missing', `the gateway rejects messages: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
}

async function checkRecovery(parts: GatewayParts): Promise<Finding> {
  const { name } = await parts.signatures();
  if (name === 'secp256k1') return { status: 'ok', detail: 'signatures are checked with the native secp256k1' };
  return { status: 'ok', detail: 'signatures are checked with libauth (WebAssembly), which takes 2.4 times as long as the native secp256k1 from npm; with a compiler, npm rebuild secp256k1 builds the native one' };
}
