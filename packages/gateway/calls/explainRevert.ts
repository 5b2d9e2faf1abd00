import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { decodeErrorResult } from 'viem';

/**
 * What a contract said when it reverted, as short text: its own words, or the name of its error. Null for empty data, which
 * also stands for running out of gas.
 */
export function explainRevert(data: Hex): string | null {
  if (data === '0x') return null;
  try {
    const decoded = decodeErrorResult({ abi: verifierServiceAbi, data });
    // viem adds Error(string) and Panic(uint256) to the errors of the ABI, but not to their types.
    const errorName: string = decoded.errorName;
    const args: readonly unknown[] = decoded.args ?? [];
    if (errorName === 'Error') return printable(String(args[0]));
    return printable(`${errorName}(${args.map(String).join(', ')})`);
  } catch {
    return `unknown error ${data.slice(0, 10)}`;
  }
}

/** A contract may say anything; what reaches a record is short and of one line. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim().slice(0, 200);
}
