import type { Hex } from '@vouch/chain/messages/operation';

/** The fields of GET /gateway/info that a node needs. */
export interface GatewayInfo {
  configured: boolean;
  chain: { chainId: number; contract: Hex; reachable: boolean; block: number | null } | null;
  domain: { name: string; version: string; hash: string | null };
  relayers: readonly { status: string }[];
}

const maxRelayers = 100;

/** @returns null when the answer has another form */
export function parseGatewayInfo(answer: unknown): GatewayInfo | null {
  try {
    const info = objectOf(answer);
    const domain = objectOf(info['domain']);
    return {
      configured: info['configured'] === true,
      chain: info['chain'] === null ? null : parseChain(objectOf(info['chain'])),
      domain: { name: textOf(domain['name']), version: textOf(domain['version']), hash: domain['hash'] === null ? null : textOf(domain['hash']).toLowerCase() },
      relayers: listOf(info['relayers']).map((each) => ({ status: textOf(objectOf(each)['status']) })),
    };
  } catch {
    return null;
  }
}

function parseChain(chain: Record<string, unknown>): GatewayInfo['chain'] {
  const chainId = chain['chain_id'];
  const contract = textOf(chain['contract']);
  const block = chain['block'];
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || !/^0x[0-9a-fA-F]{40}$/.test(contract)) throw new TypeError('no chain');
  return { chainId, contract: `0x${contract.slice(2).toLowerCase()}`, reachable: chain['reachable'] === true, block: typeof block === 'number' && Number.isSafeInteger(block) && block >= 0 ? block : null };
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return { ...value };
}

/** Reads a text for display: at most 200 characters, no control characters. @throws TypeError */
function textOf(value: unknown): string {
  if (typeof value !== 'string' || value.length > 200 || /[\p{Cc}\p{Cf}]/u.test(value)) throw new TypeError('no text');
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > maxRelayers) throw new TypeError('no list');
  return value;
}
