import type { Block } from '@vouch/chain/rpc/chainReads';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { found, ok, type NodeFinding } from './findings.ts';

/** Clocks that differ by at most this many seconds agree, because blocks are some seconds old when they arrive. */
const maxDifferenceSeconds = 60;

/** The two clocks besides the newest block's timestamp, milliseconds since 1970. */
interface Clocks {
  machine: number;
  /** Null if no gateway told its time. */
  gateway: number | null;
}

/**
 * Compares this machine's clock with the newest block. If the block is older, the gateway's clock decides which of the two is wrong.
 * @returns also the date for checking collateral, so that a wrong clock does not cause a second finding
 */
export function examineClock(head: Block, { machine, gateway }: Clocks): { finding: NodeFinding; date: Date } {
  const behind = Math.round(machine / 1_000) - head.timestamp;
  const distance = describeSeconds(Math.abs(behind));
  const chainDate = new Date(head.timestamp * 1_000);
  const setClock = 'Set the clock and synchronize it by NTP: the node checks the validity of certificates against it.';
  if (behind < -maxDifferenceSeconds) {
    return { finding: found('clock', 'clock-behind', `this machine's clock is ${distance} behind the newest block`, setClock), date: chainDate };
  }
  if (behind <= maxDifferenceSeconds) return { finding: ok('clock', `within ${maxDifferenceSeconds} s of the newest block`), date: new Date(machine) };
  if (gateway !== null && Math.abs(machine - gateway) > maxDifferenceSeconds * 1_000) {
    return { finding: found('clock', 'clock-ahead', `this machine's clock is ${distance} ahead of the newest block, but the gateway's newest block is not`, setClock), date: new Date(gateway) };
  }
  const remedy = gateway === null ? 'This machine\'s clock is ahead (synchronize it by NTP), the RPC endpoint is behind the chain, or the chain produces no blocks.'
    : 'The RPC endpoint is behind the chain (choose another RPC endpoint in chain.rpc_url), or the chain produces no blocks (wait).';
  return { finding: found('clock', 'chain-stands-still', `the newest block is ${distance} old`, remedy), date: new Date(machine) };
}
