import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { localChainId } from '@vouch/chain/devnet/localChainId';
import { getChainId } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { Clock, SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Finding } from '@vouch/platform/product/findings';
import { views } from '../intake/chainState/views.ts';
import type { GatewayParts } from '../parts/gatewayParts.ts';
import { toHex } from '../requests/storedOperation.ts';
import { defaultName, settingOf } from '../deployments/namedDeployment.ts';
import type { DeploymentSettings } from '../settings/gatewaySettings.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** Maximum difference in seconds between the newest block and this machine's clock; message expiries are wrong by the same amount. */
const maxClockDifferenceSeconds = 60;
const noEndpoint = (name: string): string => `Check ${settingOf(name, 'chain_rpc_url')}, and that the RPC endpoint runs and accepts requests from this machine.`;
const noLocalChain = 'If the local chain does not restart by itself within a minute, restart it: stop the server or the vouch devnet that runs the chain, ' +
  'and start that program again. The chain continues at its last block; messages wait until then. If VOUCH_CHAIN_RPC_URL is set, check the URL.';

/**
 * Whether at least one endpoint answers, even with an error. If none answers, every further request takes the full endpoint
 * timeout.
 */
export function reachesChain({ rpc }: GatewayParts): Promise<boolean> {
  return rpc.request('eth_chainId').then(() => true, (error: unknown) => !(error instanceof RpcUnavailable));
}

/**
 * Describes the state of every endpoint.
 * @param answered whether at least one endpoint answered
 */
export function describeEndpoints({ name, rpc, chain }: GatewayParts, answered: boolean): Finding[] {
  const remedy = Number(chain.chainId) === localChainId && name === defaultName ? noLocalChain : noEndpoint(name);
  return rpc.endpoints().map(({ host, lastFault, latencyMs, failures, behindSeconds }): Finding => {
    if (failures > 0) return gatewayFindings.found(answered ? 'rpc-endpoint-unavailable' : 'rpc-unavailable', `${host}: ${lastFault ?? 'no answer'}`, remedy);
    if (behindSeconds > 0) return gatewayFindings.found('rpc-endpoint-unavailable', `${host}: its newest block is ${describeSeconds(behindSeconds)} older than that of another endpoint`, remedy);
    return { status: 'ok', detail: latencyMs === null ? `${host} is used if the other endpoints fail` : `${host} answers in ${Math.round(latencyMs)} ms` };
  });
}

type ClientSystem = Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>;

/** Checks whether each endpoint that answers serves the configured chain; also those that are used only if others fail. */
export async function checkChain({ name, chain }: GatewayParts, urls: readonly string[], system: ClientSystem): Promise<Finding[]> {
  const served = await Promise.all(urls.map((url) => fetchServed(url, system)));
  const wrong = served.filter(({ id }) => id !== null && id !== chain.chainId);
  if (wrong.length > 0) {
    return wrong.map(({ host, id }) => gatewayFindings.found(
      'chain-differs',
      `${host} serves chain ${id}, but ${settingOf(name, 'chain_id')} is ${chain.chainId}`,
      `Correct ${settingOf(name, 'chain_id')} or ${settingOf(name, 'chain_rpc_url')}; a signature is valid only on the chain that the signature names.`,
    ));
  }
  if (served.every(({ id }) => id === null)) return [gatewayFindings.found('chain-unreadable', 'the chain id could not be read', noEndpoint(name))];
  return [{ status: 'ok', detail: `the ${urls.length === 1 ? 'endpoint serves' : 'endpoints serve'} chain ${chain.chainId}` }];
}

async function fetchServed(url: string, system: ClientSystem): Promise<{ host: string; id: bigint | null }> {
  const rpc = createRpcClient({ urls: [url], timeoutMs: 5_000 }, system);
  try {
    return { host: rpc.endpoints()[0]?.host ?? '', id: await getChainId(rpc).catch(() => null) };
  } finally {
    await rpc.close();
  }
}

/** Checks whether a contract exists at the configured address, and whether the contract isolates failing entries. */
export async function checkContract({ name, rpc, chain }: GatewayParts): Promise<Finding> {
  const code = await rpc.request<unknown>('eth_getCode', [chain.contract, 'latest']).catch(() => null);
  if (typeof code !== 'string') return gatewayFindings.found('chain-unreadable', 'the contract could not be read from the chain', noEndpoint(name));
  if (code === '0x') return gatewayFindings.found('contract-missing', `there is no contract at ${chain.contract}`, `Correct ${settingOf(name, 'contract_address')}, or deploy the contract to this chain.`);
  const isolates = await chain.reader.tryRead(chain.contract, views.supportsIsolation()).catch(() => null);
  const multicallCode = isolates === true ? null : await rpc.request<unknown>('eth_getCode', [chain.multicall, 'latest']).catch(() => null);
  if (multicallCode === '0x') {
    return gatewayFindings.found('multicall-missing', `${chain.contract} needs Multicall3 to isolate failing entries, and there is no contract at ${chain.multicall}`,
      `Set ${settingOf(name, 'multicall_address')} to the address of Multicall3 on this chain, or deploy Multicall3.`);
  }
  const kind = isolates === true ? 'isolates failing entries itself' : 'needs Multicall3 to isolate failing entries';
  return { status: 'ok', detail: `${chain.contract} has ${(code.length - 2) / 2} bytes of code and ${kind}` };
}

/** Checks whether contract and gateway compute the same EIP-712 domain hash; otherwise the contract refuses every message. */
export async function checkDomain({ name: deployment, chain, domain }: GatewayParts, settings: DeploymentSettings): Promise<Finding> {
  const theirs = await chain.reader.tryRead(chain.contract, views.domainHash()).catch(() => null);
  const ours = toHex(domain);
  const name = `${settings.domain_name} ${settings.domain_version}`;
  if (theirs === null) return gatewayFindings.found('domain-unknown', 'the contract does not return its domain hash', `Check ${settingOf(deployment, 'contract_address')}, and that the contract has the configured signing domain.`);
  if (theirs === ours) return { status: 'ok', detail: `the contract has the configured signing domain ${name}` };
  return gatewayFindings.found(
    'domain-differs',
    `the contract has the domain hash ${theirs}, but ${name} on chain ${chain.chainId} results in ${ours}`,
    `Set ${settingOf(deployment, 'domain_name')} and ${settingOf(deployment, 'domain_version')} to the values that the contract was deployed with.`,
  );
}

/** Compares this machine's clock with the newest block. */
export async function checkClock({ name, rpc }: GatewayParts, clock: Clock): Promise<Finding> {
  const block = await rpc.request<unknown>('eth_getBlockByNumber', ['latest', false]).catch(() => null);
  const timestamp = Number((block as { timestamp?: unknown } | null)?.timestamp ?? Number.NaN);
  if (Number.isNaN(timestamp)) return gatewayFindings.found('chain-unreadable', 'the newest block could not be read', noEndpoint(name));
  const behind = Math.round(clock.now() / 1000) - timestamp;
  const detail = `the newest block is ${Math.abs(behind)} s ${behind < 0 ? 'ahead of' : 'behind'} this machine's clock`;
  if (Math.abs(behind) <= maxClockDifferenceSeconds) return { status: 'ok', detail };
  return gatewayFindings.found('block-time-differs', detail);
}
