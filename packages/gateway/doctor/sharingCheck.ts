import type { Hex } from '@vouch/chain/messages/operation';
import type { Finding } from '@vouch/platform/product/findings';
import { getAddress } from 'viem/utils';
import type { ServedDeployment } from '../parts/gatewayParts.ts';
import { toHex } from '../requests/storedOperation.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** A deployment with the Ethereum addresses of its opened keys. */
export interface KeyedDeployment {
  deployment: ServedDeployment;
  /** In lower case. */
  addresses: readonly Hex[];
}

/** Checks whether deployments on one chain share a key (fault) or a signing domain (warning). */
export function checkSharing(deployments: readonly KeyedDeployment[]): Finding[] {
  const findings = deployments.flatMap((each, place) => deployments.slice(0, place).flatMap((earlier) => comparePair(earlier, each)));
  if (findings.length > 0) return findings;
  return [{ status: 'ok', detail: `${deployments.length} deployments; no relayer key is shared on the same chain` }];
}

function comparePair(one: KeyedDeployment, other: KeyedDeployment): Finding[] {
  const [chain, otherChain] = [one.deployment.parts, other.deployment.parts];
  if (chain === null || otherChain === null || chain.chain.chainId !== otherChain.chain.chainId) return [];
  const names = `${one.deployment.name} and ${other.deployment.name}`;
  const shared = one.addresses.filter((address) => other.addresses.includes(address)).map((address): Finding => gatewayFindings.found(
    'key-shared', `${getAddress(address)} is a relayer key of ${names} on chain ${chain.chain.chainId}; a key has one nonce sequence per chain, so only one of the deployments sends with this key`,
  ));
  if (toHex(chain.domain) !== toHex(otherChain.domain)) return shared;
  return [...shared, gatewayFindings.found(
    'domain-shared', `${names} have the same signing domain: a message that is signed for one of them is also valid at the other`,
  )];
}
