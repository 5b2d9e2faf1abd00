import { showAddress } from '@vouch/chain/messages/showAddress';
import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { showCommission } from './commissionRate.ts';
import { keyList, keys } from './keys.ts';
import type { LoadedConfiguration } from './loadConfiguration.ts';
import type { KeySource, NodeConfiguration } from './nodeConfiguration.ts';

/** One effective value of the configuration. */
interface ShownValue {
  key: string;
  value: string;
  /** Origin of the value: `verifier.yaml, line 7`, `-commission-rate` or `default`. */
  from: string;
}

/** Lists the effective values of a configuration for display. Secrets are not shown. */
export function showConfiguration({ configuration, key, origins }: LoadedConfiguration): ShownValue[] {
  const shown = valuesOf(configuration, key);
  return keyList.flatMap(({ name }) => {
    const value = shown.get(name);
    return value === undefined ? [] : [{ key: name, value, from: origins.get(name) ?? 'default' }];
  });
}

/** Shortens a URL to its origin for display: user name, path and query may contain an API key and become an ellipsis. */
export function showUrl(url: string): string {
  const { origin, pathname, search, username } = new URL(url);
  return `${origin}${(pathname === '/' || pathname === '') && search === '' && username === '' ? '' : '/…'}`;
}

function valuesOf({ chain, contract, domain, sending, attestation, ...rest }: NodeConfiguration, key: KeySource | null): Map<string, string> {
  const gateway = sending.through === 'gateway' ? sending : null;
  return new Map<string, string>([
    [keys.chainId.name, String(chain.chainId)],
    [keys.chainName.name, chain.chainName],
    [keys.rpcUrls.name, chain.rpcUrls.map(showUrl).join(', ')],
    [keys.startBlock.name, String(chain.startBlock)],
    [keys.offsetBlock.name, String(chain.offsetBlock)],
    [keys.maxBlockPerQuery.name, String(chain.maxBlockPerQuery)],
    [keys.queryTicker.name, `${chain.queryIntervalSeconds} s`],
    [keys.reportDelay.name, `${chain.maxReportDelaySeconds} s`],
    [keys.gasMode.name, String(gateway === null)],
    [keys.service.name, showAddress(contract.service)],
    [keys.teeEmitter.name, showAddress(contract.teeEmitter)],
    [keys.topic1.name, contract.topic1],
    [keys.topic2.name, contract.topic2],
    [keys.topic3.name, contract.topic3],
    ...walletValues(key),
    [keys.rewardClaimer.name, rest.rewardClaimer === null ? 'unchanged' : showAddress(rest.rewardClaimer)],
    [keys.commissionRate.name, rest.commissionRate === null ? 'unchanged' : showCommission(rest.commissionRate)],
    [keys.domainName.name, domain.name],
    [keys.domainVersion.name, domain.version],
    [keys.expiredTime.name, `${rest.expirySeconds} s`],
    [keys.gatewayUrl.name, gateway === null ? 'not used: the node pays for its transactions' : showGateway(gateway.url)],
    [keys.gatewayVersion.name, gateway?.version ?? 'none'],
    [keys.collateralPath.name, attestation.collateralPath],
    [keys.collateralUrl.name, attestation.fetching.url === null ? 'collateral is not fetched' : showUrl(attestation.fetching.url)],
    [keys.collateralUpdate.name, String(attestation.fetching.automatic)],
    [keys.allowList.name, attestation.policy.allowList === null ? 'every enclave' : `${attestation.policy.allowList.length} enclaves`],
    [keys.tcbPolicy.name, attestation.policy.acceptedStatuses.join(', ')],
    [keys.trustRoot.name, attestation.trustRoot.fingerprint === intelTrustRoot.fingerprint ? 'Intel’s' : attestation.trustRoot.fingerprint],
    [keys.alertUrl.name, rest.alertUrl === null ? 'none' : showUrl(rest.alertUrl)],
    [keys.dataPath.name, rest.node.dataPath],
    [keys.reenter.name, String(rest.node.reenter)],
    [keys.healthListen.name, rest.node.healthListen === null ? 'nowhere' : `${rest.node.healthListen.host}, port ${rest.node.healthListen.port}`],
    [keys.logFormat.name, rest.log.format],
    [keys.logLevel.name, rest.log.level],
    [keys.logPath.name, rest.log.path ?? 'standard error'],
  ]);
}

/** Formats a gateway URL without user name and query, which may be secret. The path is only a prefix of the gateway's routes. */
function showGateway(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

function walletValues(key: KeySource | null): [string, string][] {
  if (key === null) return [[keys.walletMode.name, '0: requires -private-key or -keystore-path, which are not set']];
  if (key.kind === 'clear') return [[keys.walletMode.name, `unencrypted, from ${key.from}`], [keys.privateKey.name, '(not shown)']];
  const password = { given: '(not shown)', file: key.password.kind === 'file' ? `first line of ${key.password.path}` : '', ask: 'prompt at start' };
  return [
    [keys.walletMode.name, 'in a keystore'],
    [keys.keystorePath.name, key.path],
    [keys.keystorePassword.name, password[key.password.kind]],
  ];
}
