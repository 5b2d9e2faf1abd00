import { getAbiItem, toEventSelector } from 'viem';
import { verifierServiceAbi } from '../contracts/abi/verifierService.ts';
import { showAddress } from '../messages/showAddress.ts';
import type { DevnetFacts } from './devnetFile.ts';

/** Lifetime of the node's signed messages in seconds; the contract allows up to six hours. */
const expiredTime = 3_600;

/** Facts about the chain that the configuration file needs. */
type NodeFacts = Pick<DevnetFacts, 'rpcUrl' | 'chainId' | 'operators' | 'domain'> & { contracts: Pick<DevnetFacts['contracts'], 'service'> };

/** Collateral and trust root of a node on the local chain. */
export interface NodeAttestation {
  /** Folder with certificates and revocation lists. */
  collateralFolder: string;
  /** SHA-256 of the trusted root certificate, 64 hex digits. */
  trustRoot: string;
}

/**
 * Returns a complete configuration file of a verifier node for the first operator of the local chain.
 * @param gatewayUrl URL of the gateway, without a trailing slash
 * @param attestation if null, the node's defaults apply
 */
export function nodeConfiguration(
  { rpcUrl, chainId, contracts, operators, domain }: NodeFacts, gatewayUrl: string, attestation: NodeAttestation | null = null,
): string {
  const operator = operators[0];
  if (operator === undefined) throw new Error('a local chain has at least one operator');
  // All values are quoted, because YAML reads an unquoted 0x… as a number.
  return `# A node of the local chain, with the key of its first operator. Each start of the chain overwrites this file; copy it before you change it.
chain:
  chain_id: ${chainId}
  chain_name: "vouch-devnet"
  rpc_url: "${rpcUrl}"
  start_block: 0
  offset_block: 1000
contract:
  addr: "${showAddress(contracts.service)}"
  tee_addr: "${showAddress(contracts.service)}"
  topic1: "${topicOf('TeeReportAttestations')}"
  topic2: "${topicOf('ConfirmVrfNodes')}"
wallet:
  mode: 1
  private_key: "${operator.privateKey}"
  reward_claimer_addr: "${showAddress(operator.address)}"
  commission_rate: 5
signature:
  domain_name: "${domain.name}"
  domain_version: "${domain.version}"
  expired_time: ${expiredTime}
gasless_service:
  url: "${gatewayUrl}"
${attestation === null ? '' : attestationSection(attestation)}`;
}

function attestationSection({ collateralFolder, trustRoot }: NodeAttestation): string {
  return `# The certificate authority of the local chain, instead of Intel's: anyone with access to its folder can create quotes that count as genuine.
attestation:
  collateral_path: ${JSON.stringify(collateralFolder)}
  trust_root: "${trustRoot}"
`;
}

function topicOf(name: 'TeeReportAttestations' | 'ConfirmVrfNodes'): string {
  return toEventSelector(getAbiItem({ abi: verifierServiceAbi, name }));
}
