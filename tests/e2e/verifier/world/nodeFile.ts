import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { Hex } from '@vouch/chain/messages/operation';

/** Settings of a test node; all other settings keep their defaults. */
export interface NodeFile {
  rpcUrls: readonly string[];
  chainId: bigint;
  service: Hex;
  /** URL of the gateway; null if the node sends transactions and pays by itself. */
  gatewayUrl: string | null;
  /** Private key in the file; null if a flag provides the key. */
  privateKey: Hex | null;
  claimer: Hex | null;
  /** Commission in percent. */
  commission: number | null;
  collateralFolder: string;
  /** SHA-256 of the trusted root, 64 hex digits. */
  trustRoot: string;
  /** Poll interval of the chain in seconds; default 1. */
  queryTicker?: number;
  /** Additional sections, as lines. */
  more?: readonly string[];
}

/**
 * Writes verifier.yaml into the node's folder, readable by this user only.
 * @returns the path
 */
export async function writeNodeFile(folder: string, file: NodeFile): Promise<string> {
  const path = join(folder, 'verifier.yaml');
  await writeFile(path, nodeFileText(file), { mode: 0o600 });
  return path;
}

function nodeFileText({ rpcUrls, chainId, service, gatewayUrl, privateKey, claimer, commission, collateralFolder, trustRoot, queryTicker = 1, more = [] }: NodeFile): string {
  const lines = [
    'chain:', `  chain_id: ${chainId}`, '  chain_name: "test-world"', `  rpc_url: [${rpcUrls.map((url) => JSON.stringify(url)).join(', ')}]`,
    '  start_block: 0', '  offset_block: 1000', `  query_ticker: ${queryTicker}`, `  enable_gas_mode: ${gatewayUrl === null}`,
    'contract:', `  addr: "${service}"`,
    'wallet:', `  mode: ${privateKey === null ? 0 : 1}`,
    ...(privateKey === null ? [] : [`  private_key: "${privateKey}"`]),
    ...(claimer === null ? [] : [`  reward_claimer_addr: "${claimer}"`]),
    ...(commission === null ? [] : [`  commission_rate: ${commission}`]),
    ...(gatewayUrl === null ? [] : ['gasless_service:', `  url: "${gatewayUrl}"`]),
    'attestation:', `  collateral_path: "${collateralFolder}"`, `  trust_root: "${trustRoot}"`,
    ...more,
  ];
  return `${lines.join('\n')}\n`;
}
