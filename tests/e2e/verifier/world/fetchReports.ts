import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { parseLog } from '@vouch/chain/rpc/chainReads';
import { parseList } from '@vouch/chain/rpc/parseResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { decodeEventLog, type DecodeEventLogReturnType } from 'viem';

export type ServiceEvent = DecodeEventLogReturnType<typeof verifierServiceAbi> & { transactionHash: Hex; blockNumber: number };

/** A counted vote, from an event of the contract. */
export interface Vote {
  attestationId: Hex;
  /** Ethereum address in lower case. */
  node: Hex;
  result: number;
  transactionHash: Hex;
  blockNumber: number;
}

/** Reports according to the events of the chain. */
export interface Reports {
  votes: readonly Vote[];
  /** Reports that were received but not counted, with the contract's reason. */
  skipped: readonly { attestationId: Hex; node: Hex; reason: string }[];
}

const blocksPerQuery = 5_000;

/** Returns all known events of the service contract, in order. */
export async function fetchEvents(rpc: RpcClient, service: Hex, from = 0): Promise<ServiceEvent[]> {
  const head = Number(await rpc.request<Hex>('eth_blockNumber'));
  const events: ServiceEvent[] = [];
  for (let block = from; block <= head; block += blocksPerQuery) {
    const range = { address: service, fromBlock: hex(block), toBlock: hex(Math.min(head, block + blocksPerQuery - 1)) };
    for (const log of parseList(await rpc.request('eth_getLogs', [range]), parseLog)) {
      const [topic, ...others] = log.topics;
      if (topic === undefined) continue;
      try {
        const event = decodeEventLog({ abi: verifierServiceAbi, topics: [topic, ...others], data: log.data });
        events.push({ ...event, transactionHash: log.transactionHash, blockNumber: log.blockNumber });
      } catch {
        // Unknown events come from the libraries of the contract.
      }
    }
  }
  return events;
}

/** Extracts the votes, from the gateway's batches and from the nodes' own transactions. */
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
