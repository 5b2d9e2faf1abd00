import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { decodeErrorResult } from 'viem';

/**
 * Decodes revert data to short text: the reason string, or the error's name and arguments. Null for empty data, which an out-of-gas
 * failure has too.
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

/** Limits contract text to 200 printable characters on one line, because a contract can return any bytes. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim().slice(0, 200);
}
