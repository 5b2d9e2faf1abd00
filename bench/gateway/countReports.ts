import { setTimeout as sleep } from 'node:timers/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { TestChain } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, getReceipt } from '@vouch/chain/rpc/chainReads';
import { parseHash, parseList, parseObject } from '@vouch/chain/rpc/parseResult';
import { decodeEventLog, encodeEventTopics } from 'viem';

/** Reports included in blocks, according to the receipts of the chain. */
export interface Landing {
  reports: number;
  /** Rate from the first to the last block with a report, both included; the block time is one second. */
  perSecond: number;
  perMillionGas: number;
  /** Share of the gas limit that was used, from the first to the last block with a report. */
  gasShare: number;
}

const [batchTopic] = encodeEventTopics({ abi: verifierServiceAbi, eventName: 'NodeReportVerificationBatch' });
/** The benchmark stops waiting after this number of consecutive blocks without a report. */
const idleBlocksMax = 60;

/**
 * Follows the chain until the blocks contain the expected number of reports.
 * @throws Error if no further reports arrive
 */
export async function countReports(chain: TestChain, service: Hex, after: number, expected: number): Promise<Landing> {
  let number = after + 1;
  let [reports, gas, first, last, limit, used, idle] = [0, 0, 0, 0, 0, 0, 0];
  while (reports < expected) {
    const block = await getBlock(chain.rpc, number);
    if (block === null) {
      await sleep(100);
      continue;
    }
    const hashes = await chain.rpc.ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], (value) => parseList(parseObject(value)['transactions'], parseHash));
    let here = 0;
    for (const hash of hashes) {
      const receipt = await getReceipt(chain.rpc, hash);
      const found = (receipt?.logs ?? []).filter(({ address, topics }) => address === service && topics[0] === batchTopic);
      here += found.reduce((sum, { topics, data }) => sum + decodeEventLog({
        abi: verifierServiceAbi, eventName: 'NodeReportVerificationBatch', topics: topics as [Hex, ...Hex[]], data,
      }).args.infos.length, 0);
      if (found.length > 0) gas += Number(receipt?.gasUsed ?? 0);
    }
    if (here > 0 && first === 0) first = number;
    if (here > 0) last = number;
    if (first > 0) [limit, used] = [limit + Number(block.gasLimit), used + Number(block.gasUsed)];
    idle = here > 0 ? 0 : idle + 1;
    if (idle > idleBlocksMax) throw new Error(`${reports} of ${expected} reports landed, then none in ${idleBlocksMax} blocks`);
    reports += here;
    number += 1;
  }
  return { reports, perSecond: reports / (last - first + 1), perMillionGas: (reports / gas) * 1e6, gasShare: used / limit };
}
