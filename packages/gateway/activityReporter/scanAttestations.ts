import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { decodeAnnouncement, decodeChoice } from '@vouch/chain/contracts/service/events';
import type { Hex } from '@vouch/chain/messages/operation';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import type { Log } from '@vouch/chain/rpc/chainReads';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { encodeEventTopics } from 'viem';
import type { LaneContext } from '../sending/laneContext.ts';
import { findScannedBlock, storeSeen, type SeenEvents } from './attestationStore.ts';
import type { Head } from './findDue.ts';

/** Blocks read at the first scan; attestations announced earlier are left to other senders. */
const blocksBack = 5_000;
/** Maximum number of blocks read after an outage, about a day of half-second blocks; older blocks are skipped. */
const maxBlocksBack = 200_000;
const blocksPerQuestion = 1_000;
/** Maximum number of blocks per scan, because messages wait meanwhile; the next scan continues. */
const blocksPerLook = 20_000;
/** Number of blocks that each scan reads again, because an endpoint can deliver events late and a reorg can replace blocks. */
const blocksAgain = 12;

const topicOf = (eventName: 'TeeReportAttestations' | 'ConfirmVrfNodes' | 'AttestationConcluded'): Hex => encodeEventTopics({ abi: verifierServiceAbi, eventName })[0] as Hex;
const announced = topicOf('TeeReportAttestations');
const chosen = topicOf('ConfirmVrfNodes');
const concluded = topicOf('AttestationConcluded');

/**
 * Stores the attestation events since the last scan of any key or gateway.
 * @throws RpcUnavailable, RpcRefused
 */
export async function scanAttestations({ database, rpc, service, lane, log }: LaneContext, head: Head, signal?: AbortSignal): Promise<void> {
  const scanned = await findScannedBlock(database, lane.deployment);
  const first = scanned === null ? head.number - blocksBack : Math.max(Math.min(scanned, head.number) - blocksAgain, head.number - maxBlocksBack);
  const fromBlock = Math.max(0, first);
  const blocks = { fromBlock, toBlock: Math.min(head.number, fromBlock + blocksPerLook), range: new BlockRange(blocksPerQuestion) };
  const filter = { address: service, topics: [[announced, chosen, concluded]], ...blocks, ...(signal === undefined ? {} : { signal }) };
  for await (const { logs, toBlock } of scanLogs(rpc, filter)) {
    const seen: SeenEvents = { announced: [], chosen: [], concluded: [] };
    for (const event of logs) {
      try {
        addEvent(seen, event);
      } catch (error) {
        log.debug({ reason: (error as Error).message }, 'an event of the service contract has an unexpected layout');
      }
    }
    await storeSeen(database, lane.deployment, seen, { block: toBlock, time: head.timestamp });
  }
}

function addEvent(seen: SeenEvents, { topics: [topic, first], data }: Pick<Log, 'topics' | 'data'>): void {
  if (topic === concluded) {
    if (first !== undefined) seen.concluded.push(first);
  } else if (topic === chosen) {
    const { requestId, deadline } = decodeChoice(data);
    seen.chosen.push({ requestId, deadline });
  } else {
    const { requestId, attestations } = decodeAnnouncement(data);
    seen.announced.push({ requestId, attestationIds: attestations.map(({ attestationId }) => attestationId) });
  }
}
