import type { Hex } from '../messages/operation.ts';
import { parseAddress, parseBytes, parseHash, parseInteger, parseList, parseNullable, parseObject, parseQuantity } from './parseResult.ts';
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
  return rpc.ask('eth_chainId', [], parseQuantity, signal);
}

/** Reads a block by number, tag or hash. @returns null if the endpoint does not have the block */
export function getBlock(rpc: RpcClient, which: number | BlockTag | Hex, signal?: AbortSignal): Promise<Block | null> {
  if (typeof which === 'string' && which.startsWith('0x')) {
    return rpc.ask('eth_getBlockByHash', [which, false], parseNullable(parseBlock), signal);
  }
  const tag = typeof which === 'number' ? `0x${which.toString(16)}` : which;
  return rpc.ask('eth_getBlockByNumber', [tag, false], parseNullable(parseBlock), signal);
}

export function getCode(rpc: RpcClient, address: Hex, signal?: AbortSignal): Promise<Hex> {
  return rpc.ask('eth_getCode', [address, 'latest'], (value) => parseBytes(value), signal);
}

/** Reads the balance of an account at the newest block, in wei. */
export function getBalance(rpc: RpcClient, address: Hex, signal?: AbortSignal): Promise<bigint> {
  return rpc.ask('eth_getBalance', [address, 'latest'], parseQuantity, signal);
}

export function getNonce(rpc: RpcClient, address: Hex, tag: BlockTag = 'latest', signal?: AbortSignal): Promise<number> {
  return rpc.ask('eth_getTransactionCount', [address, tag], parseInteger, signal);
}

/** Reads the receipt of a transaction. @returns null if the endpoint knows no block with the transaction */
export function getReceipt(rpc: RpcClient, transactionHash: Hex, signal?: AbortSignal): Promise<Receipt | null> {
  return rpc.ask('eth_getTransactionReceipt', [transactionHash], parseNullable(parseReceipt), signal);
}

/** Calls a contract without a transaction and returns the result bytes. @throws RpcRefused if the call reverts */
export function ethCall(rpc: RpcClient, call: { to: Hex; data: Hex; from?: Hex }, tag: BlockTag = 'latest', signal?: AbortSignal): Promise<Hex> {
  return rpc.ask('eth_call', [call, tag], (value) => parseBytes(value), signal);
}

/** Parses a block. Like all `read…` functions in this file, throws Error if the value has another form. */
export function parseBlock(value: unknown): Block {
  const block = parseObject(value);
  return {
    number: parseInteger(block['number']),
    hash: parseHash(block['hash']),
    parentHash: parseHash(block['parentHash']),
    timestamp: parseInteger(block['timestamp']),
    baseFee: parseNullable(parseQuantity)(block['baseFeePerGas']),
    gasLimit: parseQuantity(block['gasLimit']),
    gasUsed: parseQuantity(block['gasUsed']),
  };
}

export function parseLog(value: unknown): Log {
  const log = parseObject(value);
  return {
    address: parseAddress(log['address']),
    topics: parseList(log['topics'], parseHash),
    data: parseBytes(log['data']),
    blockNumber: parseInteger(log['blockNumber']),
    blockHash: parseHash(log['blockHash']),
    transactionHash: parseHash(log['transactionHash']),
    logIndex: parseInteger(log['logIndex']),
  };
}

export function parseReceipt(value: unknown): Receipt {
  const receipt = parseObject(value);
  return {
    transactionHash: parseHash(receipt['transactionHash']),
    blockNumber: parseInteger(receipt['blockNumber']),
    blockHash: parseHash(receipt['blockHash']),
    from: parseAddress(receipt['from']),
    to: parseNullable(parseAddress)(receipt['to']),
    contractAddress: parseNullable(parseAddress)(receipt['contractAddress']),
    succeeded: parseInteger(receipt['status']) === 1,
    gasUsed: parseQuantity(receipt['gasUsed']),
    effectiveGasPrice: parseQuantity(receipt['effectiveGasPrice']),
    logs: parseList(receipt['logs'], parseLog),
  };
}
