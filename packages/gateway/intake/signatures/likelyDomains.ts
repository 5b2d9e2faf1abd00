import type { Domain, Hex } from '@vouch/chain/messages/operation';
import { domainSeparator } from 'viem';

/** A domain that clients sign for by mistake. */
export interface LikelyDomain {
  /** How the domain differs from the right one: a clause whose subject is the signature. */
  difference: string;
  /** Domain hash. */
  hash: Uint8Array;
}

/** The name and version of the contract in use, which its node program signs by default. */
const usual = { name: 'ProtocolService', version: '1.0.0' };
/** `1` is the version of the examples of EIP-712; the other is the version that node programs send beside the message. */
const otherVersions = ['1', '0.0.1'];
/** Arbitrum One, Arbitrum Sepolia, Ethereum (the default chain of wallets) and a local chain. */
const chainIds = [42_161n, 421_614n, 1n, 31_337n];

/**
 * Lists the domains that differ from a domain in one part in which clients are often wrong; at most ten, because each one costs a recovery.
 * @param contract contract of the deployment, which the domain does not have
 */
export function likelyDomains({ name, version, chainId }: Domain, contract: Hex): LikelyDomain[] {
  const versions = [usual.version, ...otherVersions].filter((other) => other !== version);
  const ids = chainIds.filter((other) => other !== chainId);
  return [
    { difference: `its domain has verifyingContract ${contract}, and must have none`, hash: hashOf({ name, version, chainId, verifyingContract: contract }) },
    { difference: 'its domain has no version', hash: hashOf({ name, chainId }) },
    { difference: 'its domain has no chainId', hash: hashOf({ name, version }) },
    ...versions.map((other) => ({ difference: `its domain has version ${other} instead of ${version}`, hash: hashOf({ name, version: other, chainId }) })),
    ...(name === usual.name ? [] : [{ difference: `its domain has name ${usual.name} instead of ${name}`, hash: hashOf({ name: usual.name, version, chainId }) }]),
    ...ids.map((other) => ({ difference: `its domain has chainId ${other} instead of ${chainId}`, hash: hashOf({ name, version, chainId: other }) })),
  ];
}

function hashOf(domain: { name: string; version?: string; chainId?: bigint; verifyingContract?: Hex }): Uint8Array {
  return Buffer.from(domainSeparator({ domain }).slice(2), 'hex');
}
