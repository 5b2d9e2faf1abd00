import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { Hex } from '@vouch/chain/messages/operation';

/** What a node of a test is told; everything else stays at its default. */
export interface NodeFile {
  rpcUrls: readonly string[];
  chainId: bigint;
  service: Hex;
  /** Null: the node sends and pays for itself. */
  gatewayUrl: string | null;
  /** Null: the key comes by a flag. */
  privateKey: Hex | null;
  claimer: Hex | null;
  /** Percent. */
  commission: number | null;
  collateralFolder: string;
  /** SHA-256 of the trusted root, 64 hex digits. */
  trustRoot: string;
  /** Seconds between two looks at the chain; 1 unless told. */
  queryTicker?: number;
  /** Further sections, as lines. */
  more?: readonly string[];
}

/** Writes verifier.yaml into the node's folder, for this user alone. @returns its path */
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
