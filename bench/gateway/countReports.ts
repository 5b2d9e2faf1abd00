import { setTimeout as sleep } from 'node:timers/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { TestChain } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, getReceipt } from '@vouch/chain/rpc/chainReads';
import { readHash, readList, readObject } from '@vouch/chain/rpc/readResult';
import { decodeEventLog, encodeEventTopics } from 'viem';

/** How reports came into blocks, by the chain's own receipts. */
export interface Landing {
  reports: number;
  /** From the first block with a report to the last, both counted; blocks are a second apart. */
  perSecond: number;
  perMillionGas: number;
  /** Share of the blocks' gas limit that was used between the first and the last. */
  gasShare: number;
}

const [batchTopic] = encodeEventTopics({ abi: verifierServiceAbi, eventName: 'NodeReportVerificationBatch' });
/** Blocks without a report after which the rest is given up. */
const idleBlocksMax = 60;

/** Follows the chain until so many reports stand in its blocks. @throws Error where no more come */
export async function countReports(chain: TestChain, service: Hex, after: number, expected: number): Promise<Landing> {
  let number = after + 1;
  let [reports, gas, first, last, limit, used, idle] = [0, 0, 0, 0, 0, 0, 0];
  while (reports < expected) {
    const block = await getBlock(chain.rpc, number);
    if (block === null) {
      await sleep(100);
      continue;
    }
    const hashes = await chain.rpc.ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], (value) => readList(readObject(value)['transactions'], readHash));
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
