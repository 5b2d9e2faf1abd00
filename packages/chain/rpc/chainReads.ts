import type { Hex } from '../messages/operation.ts';
import { readAddress, readBytes, readHash, readInteger, readList, readNullable, readObject, readQuantity } from './readResult.ts';
import type { RpcClient } from './rpcClient.ts';

/** Fields of a block header. */
export interface Block {
  number: number;
  hash: Hex;
  parentHash: Hex;
  /** Seconds since the epoch. */
  timestamp: number;
  /** Base fee in wei per gas; null for blocks before the London upgrade. */
  baseFee: bigint | null;
  gasLimit: bigint;
  gasUsed: bigint;
}

export interface Log {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  blockNumber: number;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
}

export interface Receipt {
  transactionHash: Hex;
  blockNumber: number;
  blockHash: Hex;
  from: Hex;
  to: Hex | null;
  contractAddress: Hex | null;
  succeeded: boolean;
  gasUsed: bigint;
  /** Price paid, in wei per gas. */
  effectiveGasPrice: bigint;
  logs: readonly Log[];
}

type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest';

export function getChainId(rpc: RpcClient, signal?: AbortSignal): Promise<bigint> {
  return rpc.ask('eth_chainId', [], readQuantity, signal);
}

/** Reads a block by number, tag or hash. @returns null if the endpoint does not have the block */
export function getBlock(rpc: RpcClient, which: number | BlockTag | Hex, signal?: AbortSignal): Promise<Block | null> {
  if (typeof which === 'string' && which.startsWith('0x')) {
    return rpc.ask('eth_getBlockByHash', [which, false], readNullable(readBlock), signal);
  }
  const tag = typeof which === 'number' ? `0x${which.toString(16)}` : which;
  return rpc.ask('eth_getBlockByNumber', [tag, false], readNullable(readBlock), signal);
}

export function getCode(rpc: RpcClient, address: Hex, signal?: AbortSignal): Promise<Hex> {
  return rpc.ask('eth_getCode', [address, 'latest'], (value) => readBytes(value), signal);
}

/** Reads the balance of an account at the newest block, in wei. */
export function getBalance(rpc: RpcClient, address: Hex, signal?: AbortSignal): Promise<bigint> {
  return rpc.ask('eth_getBalance', [address, 'latest'], readQuantity, signal);
}

export function getNonce(rpc: RpcClient, address: Hex, tag: BlockTag = 'latest', signal?: AbortSignal): Promise<number> {
  return rpc.ask('eth_getTransactionCount', [address, tag], readInteger, signal);
}

/** Reads the receipt of a transaction. @returns null if the endpoint knows no block with the transaction */
export function getReceipt(rpc: RpcClient, transactionHash: Hex, signal?: AbortSignal): Promise<Receipt | null> {
  return rpc.ask('eth_getTransactionReceipt', [transactionHash], readNullable(readReceipt), signal);
}

/** Calls a contract without a transaction and returns the result bytes. @throws RpcRefused if the call reverts */
export function ethCall(rpc: RpcClient, call: { to: Hex; data: Hex; from?: Hex }, tag: BlockTag = 'latest', signal?: AbortSignal): Promise<Hex> {
  return rpc.ask('eth_call', [call, tag], (value) => readBytes(value), signal);
}

/** Parses a block. Like all `read…` functions in this file, throws Error if the value has another form. */
export function readBlock(value: unknown): Block {
  const block = readObject(value);
  return {
    number: readInteger(block['number']),
    hash: readHash(block['hash']),
    parentHash: readHash(block['parentHash']),
    timestamp: readInteger(block['timestamp']),
    baseFee: readNullable(readQuantity)(block['baseFeePerGas']),
    gasLimit: readQuantity(block['gasLimit']),
    gasUsed: readQuantity(block['gasUsed']),
  };
}

export function readLog(value: unknown): Log {
  const log = readObject(value);
  return {
    address: readAddress(log['address']),
    topics: readList(log['topics'], readHash),
    data: readBytes(log['data']),
    blockNumber: readInteger(log['blockNumber']),
    blockHash: readHash(log['blockHash']),
    transactionHash: readHash(log['transactionHash']),
    logIndex: readInteger(log['logIndex']),
  };
}

export function readReceipt(value: unknown): Receipt {
  const receipt = readObject(value);
  return {
    transactionHash: readHash(receipt['transactionHash']),
    blockNumber: readInteger(receipt['blockNumber']),
    blockHash: readHash(receipt['blockHash']),
    from: readAddress(receipt['from']),
    to: readNullable(readAddress)(receipt['to']),
    contractAddress: readNullable(readAddress)(receipt['contractAddress']),
    succeeded: readInteger(receipt['status']) === 1,
    gasUsed: readQuantity(receipt['gasUsed']),
    effectiveGasPrice: readQuantity(receipt['effectiveGasPrice']),
    logs: readList(receipt['logs'], readLog),
  };
}
