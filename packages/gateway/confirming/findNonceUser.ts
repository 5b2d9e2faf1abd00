import type { Hex } from '@vouch/chain/messages/operation';
import { readBlock } from '@vouch/chain/rpc/chainReads';
import { readAddress, readHash, readInteger, readList, readObject } from '@vouch/chain/rpc/readResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { numberToHex } from 'viem';

/** The transaction that used up a nonce, found in a block. */
export interface NonceUser {
  transactionHash: Hex;
  block: { number: number; hash: Hex };
}

/**
 * Finds the transaction that used a nonce, by halving the range of blocks in which the count passed it (about 20 questions
 * for a chain of a million blocks). A state that no endpoint has any more counts as one before. Null where the transaction
 * is not found so.
 * @param head number of a block at whose end the nonce is used up
 */
export async function findNonceUser(rpc: RpcClient, account: Hex, nonce: number, head: number, signal?: AbortSignal): Promise<NonceUser | null> {
  const isAfter = async (block: number): Promise<boolean> => {
    try {
      return (await rpc.ask('eth_getTransactionCount', [account, numberToHex(block)], readInteger, signal)) > nonce;
    } catch (error) {
      if (error instanceof RpcRefused) return false;
      throw error;
    }
  };
  try {
    let before = -1;
    let after = head;
    // Mostly it was a moment ago: look near the head first, where also nodes without old states have them.
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
    const { number, hash, transactions } = await rpc.ask('eth_getBlockByNumber', [numberToHex(after), true], readFullBlock, signal);
    const user = transactions.find(({ from, nonce: used }) => from === account && used === nonce);
    return user === undefined ? null : { transactionHash: user.hash, block: { number, hash } };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RpcUnavailable) throw error;
    return null;
  }
}

function readFullBlock(value: unknown) {
  const { number, hash } = readBlock(value);
  const transactions = readList(readObject(value)['transactions'], (each) => {
    const transaction = readObject(each);
    return { hash: readHash(transaction['hash']), from: readAddress(transaction['from']), nonce: readInteger(transaction['nonce']) };
  });
  return { number, hash, transactions };
}
