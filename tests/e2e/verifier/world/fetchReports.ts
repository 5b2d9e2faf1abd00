import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { readLog } from '@vouch/chain/rpc/chainReads';
import { readList } from '@vouch/chain/rpc/readResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { decodeEventLog, type DecodeEventLogReturnType } from 'viem';

export type ServiceEvent = DecodeEventLogReturnType<typeof verifierServiceAbi> & { transactionHash: Hex; blockNumber: number };

/** A vote that counts, as an event of the contract says. */
export interface Vote {
  attestationId: Hex;
  /** Lower case. */
  node: Hex;
  result: number;
  transactionHash: Hex;
  blockNumber: number;
}

/** What the chain says about reports. */
export interface Reports {
  votes: readonly Vote[];
  /** Reports that came and did not count, with the contract's words. */
  skipped: readonly { attestationId: Hex; node: Hex; reason: string }[];
}

const blocksPerQuery = 5_000;

/** Every event of the service that this program knows, in order. */
export async function fetchEvents(rpc: RpcClient, service: Hex, from = 0): Promise<ServiceEvent[]> {
  const head = Number(await rpc.request<Hex>('eth_blockNumber'));
  const events: ServiceEvent[] = [];
  for (let block = from; block <= head; block += blocksPerQuery) {
    const range = { address: service, fromBlock: hex(block), toBlock: hex(Math.min(head, block + blocksPerQuery - 1)) };
    for (const log of readList(await rpc.request('eth_getLogs', [range]), readLog)) {
      const [topic, ...others] = log.topics;
      if (topic === undefined) continue;
      try {
        const event = decodeEventLog({ abi: verifierServiceAbi, topics: [topic, ...others], data: log.data });
        events.push({ ...event, transactionHash: log.transactionHash, blockNumber: log.blockNumber });
      } catch {
        // Events of the libraries that it is made of.
      }
    }
  }
  return events;
}

/** Votes in batches of the gateway as well as those that nodes sent themselves. */
export function reportsOf(events: readonly ServiceEvent[]): Reports {
  const votes: Vote[] = [];
  const skipped: { attestationId: Hex; node: Hex; reason: string }[] = [];
  for (const { transactionHash, blockNumber, ...event } of events) {
    const where = { transactionHash, blockNumber };
    if (event.eventName === 'NodeReportVerificationBatch') {
      for (const { signer, result } of event.args.infos) votes.push({ attestationId: event.args.attestationID, node: lower(signer), result, ...where });
    } else if (event.eventName === 'NodeReportVerification') {
      votes.push({ attestationId: event.args.attestationID, node: lower(event.args.node), result: event.args.result, ...where });
    } else if (event.eventName === 'ReportSkipped') {
      skipped.push({ attestationId: event.args.attestationID, node: lower(event.args.signer), reason: event.args.reason });
    }
  }
  return { votes, skipped };
}

function hex(number: number): Hex {
  return `0x${number.toString(16)}`;
}

function lower(address: string): Hex {
  return address.toLowerCase() as Hex;
}
