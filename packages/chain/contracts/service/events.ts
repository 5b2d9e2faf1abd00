import { decodeAbiParameters, hexToBytes, parseAbiParameters, toEventSelector } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import type { Log } from '../../rpc/chainReads.ts';

/** Attestations announced in one event. */
export interface Announcement {
  /** Id that the later Choice of nodes refers to. */
  requestId: bigint;
  /** Ids with their infos, in the order of the event. */
  attestations: readonly { attestationId: Hex; info: Uint8Array }[];
}

/** Nodes chosen to report on the attestations of a request. */
export interface Choice {
  requestId: bigint;
  /** Ids of the nodes. The position of a node is the `index` of its report. */
  chosen: readonly number[];
  /** Last timestamp (block time, in seconds) at which reports count. */
  deadline: number;
}

/** Strings are decoded as bytes, which have the same ABI encoding: the id is the hash of the bytes, and the contract does not check for UTF-8. */
const announcement = parseAbiParameters('address, bytes32[], bytes[], uint256');
const choice = parseAbiParameters('uint256, uint32[], uint256');
const cleared = parseAbiParameters('address');

/** Decodes the data of a `TeeReportAttestations` event. @throws Error if the data has another form */
export function decodeAnnouncement(data: Hex): Announcement {
  const [, ids, infos, requestId] = decodeAbiParameters(announcement, data);
  if (ids.length !== infos.length) throw new Error(`it announces ${ids.length} ids and ${infos.length} infos`);
  return { requestId, attestations: ids.map((attestationId, at) => ({ attestationId, info: hexToBytes(infos[at] as Hex) })) };
}

/** Decodes the data of a `ConfirmVrfNodes` event. @throws Error if the data has another form */
export function decodeChoice(data: Hex): Choice {
  const [requestId, chosen, deadline] = decodeAbiParameters(choice, data);
  if (deadline > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('its deadline is out of range');
  return { requestId, chosen, deadline: Number(deadline) };
}

/** Decodes the data of a `NodeClear` event. @returns the node's Ethereum address @throws Error if the data has another form */
export function decodeCleared(data: Hex): Hex {
  return `0x${decodeAbiParameters(cleared, data)[0].slice(2).toLowerCase()}`;
}

const concluded = toEventSelector('AttestationConcluded(bytes32,uint8,uint256,uint256)');

/** Returns the ids of the attestations that a transaction concluded, from the service's events. */
export function decodeConcluded(logs: readonly Pick<Log, 'address' | 'topics'>[], service: Hex): Hex[] {
  return logs.flatMap(({ address, topics: [topic, id] }) => (address === service && topic === concluded && id !== undefined ? [id] : []));
}
