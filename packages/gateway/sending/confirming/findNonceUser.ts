import type { Hex } from '@vouch/chain/messages/operation';
import { parseBlock } from '@vouch/chain/rpc/chainReads';
import { parseAddress, parseHash, parseInteger, parseList, parseObject } from '@vouch/chain/rpc/parseResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { numberToHex } from 'viem';

/** The mined transaction that used a nonce. */
export interface NonceUser {
  transactionHash: Hex;
  block: { number: number; hash: Hex };
}

/**
 * Finds the transaction that used a nonce by binary search over blocks (about 20 calls for a million blocks). A block whose state
 * no endpoint has counts as before the use.
 * @param head number of a block at whose end the nonce is used
 * @returns null if the search fails
 * @throws RpcUnavailable; the reason of `signal`
 */
export async function findNonceUser(rpc: RpcClient, account: Hex, nonce: number, head: number, signal?: AbortSignal): Promise<NonceUser | null> {
  const isAfter = async (block: number): Promise<boolean> => {
    try {
      return (await rpc.ask('eth_getTransactionCount', [account, numberToHex(block)], parseInteger, signal)) > nonce;
    } catch (error) {
      if (error instanceof RpcRefused) return false;
      throw error;
    }
  };
  try {
    let before = -1;
    let after = head;
    // The use is usually recent, so the search starts near the head, where nodes without old states can answer.
    for (let step = 8; after - step > before; step *= 4) {
      if (await isAfter(after - step)) after -= step;
      else {
        before = after - step;
        break;
      }
    }
    while (after - before > 1) {
      const middle = Math.floor((after + before) / 2);
      if (await isAfter(middle)) after = middle;
      else before = middle;
    }
    const { number, hash, transactions } = await rpc.ask('eth_getBlockByNumber', [numberToHex(after), true], parseFullBlock, signal);
    const user = transactions.find(({ from, nonce: used }) => from === account && used === nonce);
    return user === undefined ? null : { transactionHash: user.hash, block: { number, hash } };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RpcUnavailable) throw error;
    return null;
  }
}

function parseFullBlock(value: unknown) {
  const { number, hash } = parseBlock(value);
  const transactions = parseList(parseObject(value)['transactions'], (each) => {
    const transaction = parseObject(each);
    return { hash: parseHash(transaction['hash']), from: parseAddress(transaction['from']), nonce: parseInteger(transaction['nonce']) };
  });
  return { number, hash, transactions };
}
