import type { Hex } from '@vouch/chain/messages/operation';
import type { Simulation } from '../kernel/simulation.ts';
import { encodeReason } from './serviceModel.ts';
import { readView } from './serviceViews.ts';
import { ancestor, type MinedTransaction, type SimulatedBlock, type SimulatedChain } from './simulatedChain.ts';
import { readTransaction, type Transaction } from './transaction.ts';

interface Call {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** An error that a node returns for a call. */
class CallError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;
  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const chainId = 31_337;
const blockGasLimit = 30_000_000;
/** Longest time in ms without the events of new blocks: verifier nodes scan each block for a minute. */
const maxUnindexedMs = 50_000;
const tipWei = 1_000_000_000n;

/** A JSON-RPC node with its own view of the chain: it can be behind, and then follows a branch that was left. */
export class SimulatedEndpoint {
  readonly name: string;
  readonly #chain: SimulatedChain;
  readonly #simulation: Simulation;
  readonly #simulates: boolean;
  #head: SimulatedBlock;
  #behindUntilMs = 0;
  #forgetfulUntilMs = 0;
  #forgetfulSinceMs = 0;
  /** The newest block whose events the node has while it is forgetful. */
  #indexedOrder = 0;
  /** Called before the node decides about a transaction. */
  received: (transaction: Transaction) => void = () => {};

  /** @param simulates whether the node has `eth_simulateV1` */
  constructor(name: string, simulation: Simulation, chain: SimulatedChain, simulates: boolean) {
    this.name = name;
    this.#chain = chain;
    this.#simulation = simulation;
    this.#simulates = simulates;
    this.#head = chain.head;
  }

  /** Tells the node of a new head after the delay of the network. */
  hear(head: SimulatedBlock, delayMs: number): void {
    this.#simulation.after(delayMs, () => {
      if (this.#simulation.nowMs >= this.#behindUntilMs && head.order > this.#head.order) this.#head = head;
    });
  }

  /** The node sees no new blocks for a time. @param bySeconds how far it also goes back, as a node that was restored from a copy */
  fallBehind(ms: number, bySeconds = 0): void {
    const until = this.#head.timestamp - bySeconds;
    while (this.#head.timestamp > until && this.#head.parent !== null) this.#head = this.#head.parent;
    this.#behindUntilMs = Math.max(this.#behindUntilMs, this.#simulation.nowMs + ms);
    this.#simulation.after(ms, () => {
      if (this.#simulation.nowMs >= this.#behindUntilMs) this.#head = this.#chain.head;
    });
  }

  /** For a time, the node has no receipts, and no events of new blocks, as a node whose index of transactions is being built. */
  forgetReceipts(ms: number): void {
    if (this.#simulation.nowMs >= this.#forgetfulUntilMs) [this.#indexedOrder, this.#forgetfulSinceMs] = [this.#head.order, this.#simulation.nowMs];
    this.#forgetfulUntilMs = Math.max(this.#forgetfulUntilMs, this.#simulation.nowMs + ms);
  }

  /** Answers the body of a request, one call or several. */
  answer(body: string): string {
    const calls = JSON.parse(body) as Call | Call[];
    return JSON.stringify(Array.isArray(calls) ? calls.map((call) => this.#answerCall(call)) : this.#answerCall(calls));
  }

  #answerCall({ id, method, params }: Call): object {
    try {
      return { jsonrpc: '2.0', id, result: this.#result(method, params) };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) } };
    }
  }

  #result(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params;
    switch (method) {
      case 'eth_chainId': return hex(chainId);
      case 'eth_blockNumber': return hex(this.#head.number);
      case 'eth_getCode': return '0x60';
      case 'eth_getBlockByNumber': {
        const block = first === 'latest' ? this.#head : ancestor(this.#head, Number(first));
        return block === null ? null : showBlock(block, second === true);
      }
      case 'eth_getBlockByHash': {
        const block = this.#chain.block(first as Hex);
        return block === undefined || block.order > this.#head.order ? null : showBlock(block, second === true);
      }
      case 'eth_getTransactionCount': return hex(second === 'pending' ? this.#chain.pendingNonce(first as Hex, this.#head) : this.#at(second).nonces.get(first as Hex) ?? 0);
      case 'eth_getBalance': return hex(this.#at(second).balances.get(first as Hex) ?? 0n);
      case 'eth_gasPrice': return hex(this.#head.baseFeeWei + tipWei);
      case 'eth_maxPriorityFeePerGas': return hex(tipWei);
      case 'eth_getTransactionReceipt': return this.#receipt(first as Hex);
      case 'eth_estimateGas': return this.#estimate(first as { to: Hex; data: Hex; from: Hex }, second);
      case 'eth_getLogs': return this.#logs(first as LogFilter);
      case 'eth_call': return this.#call(first as { to: Hex; data: Hex; from?: Hex }, second);
      case 'eth_simulateV1': return this.#simulate(first as SimulatedBlocks, second);
      case 'eth_sendRawTransaction': return this.#send(first as Hex);
      default: throw new CallError(-32_601, `the method ${method} does not exist/is not available`);
    }
  }

  /** The block that a parameter names: a tag, a number, or `{ blockHash }`. */
  #at(which: unknown): SimulatedBlock {
    if (which === 'latest' || which === undefined) return this.#head;
    const block = typeof which === 'string' ? ancestor(this.#head, Number(which)) : this.#chain.block((which as { blockHash: Hex }).blockHash) ?? null;
    if (block === null || block.order > this.#head.order) throw new CallError(-32_000, 'header not found');
    return block;
  }

  #receipt(hash: Hex): object | null {
    const block = this.#chain.placeOf(hash, this.#head);
    if (block === null || this.#simulation.nowMs < this.#forgetfulUntilMs) return null;
    const at = block.mined.findIndex(({ transaction }) => transaction.hash === hash);
    return showReceipt(block, block.mined[at]!);
  }

  #call({ to, data, from }: { to: Hex; data: Hex; from?: Hex }, which: unknown): Hex {
    const block = this.#at(which);
    const { service, timestamp } = block;
    const { model } = this.#chain;
    // Calls with a sender are messages that the gateway tries alone.
    if (from !== undefined) {
      const outcome = model.execute(service, to, data, timestamp, from);
      if (outcome.succeeded) return '0x';
      throw new CallError(3, `execution reverted: ${outcome.reason}`, encodeReason(outcome.reason));
    }
    const answer = readView(model, block, data);
    if (answer === null) throw new CallError(3, 'execution reverted', '0x');
    return answer;
  }

  #estimate({ to, data, from }: { to: Hex; data: Hex; from: Hex }, which: unknown): Hex {
    const { service, timestamp } = this.#at(which);
    const outcome = this.#chain.model.execute(service, to, data, timestamp, from);
    if (!outcome.succeeded) throw new CallError(3, `execution reverted: ${outcome.reason}`, encodeReason(outcome.reason));
    return hex(21_000 + outcome.gas);
  }

  #logs({ address, topics: [wanted], fromBlock, toBlock }: LogFilter): object[] {
    const found: object[] = [];
    for (let block = ancestor(this.#head, Number(toBlock)); block !== null && block.number >= Number(fromBlock); block = block.parent) {
      if (this.#simulation.nowMs < Math.min(this.#forgetfulUntilMs, this.#forgetfulSinceMs + maxUnindexedMs) && block.order > this.#indexedOrder) continue;
      const { number, hash } = block;
      const logs = [...block.foreignLogs, ...block.mined.flatMap((each) => each.logs)];
      found.unshift(...logs.map((log, at) => ({ ...log, blockNumber: hex(number), blockHash: hash, transactionHash: hash, logIndex: hex(at), removed: false }))
        .filter((log) => address.includes(log.address) && wanted.includes(log.topics[0]!)));
    }
    return found;
  }

  #simulate({ blockStateCalls }: SimulatedBlocks, which: unknown): object[] {
    if (!this.#simulates) throw new CallError(-32_601, 'the method eth_simulateV1 does not exist/is not available');
    const base = this.#at(which);
    let { service } = base;
    return blockStateCalls.map(({ calls, blockOverrides }, place) => {
      const time = blockOverrides?.time === undefined ? base.timestamp + 12 * (place + 1) : Number(blockOverrides.time);
      return {
        timestamp: hex(time),
        calls: calls.map(({ to, data }) => {
          const outcome = this.#chain.model.execute(service, to, data, time);
          if (!outcome.succeeded) return { status: '0x0', gasUsed: hex(21_000 + outcome.gas), returnData: encodeReason(outcome.reason), logs: [] };
          service = outcome.state;
          return { status: '0x1', gasUsed: hex(21_000 + outcome.gas), returnData: '0x', logs: outcome.logs };
        }),
      };
    });
  }

  #send(raw: Hex): Hex {
    const transaction = readTransaction(raw, this.#chain.model.options.recovery);
    this.received(transaction);
    const refusal = this.#chain.send(transaction);
    if (refusal !== null) throw new CallError(-32_000, refusal);
    return transaction.hash;
  }
}

interface LogFilter {
  address: readonly Hex[];
  topics: readonly [readonly Hex[]];
  fromBlock: Hex;
  toBlock: Hex;
}

interface SimulatedBlocks {
  blockStateCalls: readonly { calls: readonly { to: Hex; data: Hex }[]; blockOverrides?: { time?: string } }[];
}

function showBlock({ number, hash, parent, timestamp, baseFeeWei, mined }: SimulatedBlock, whole: boolean): object {
  return {
    number: hex(number), hash, parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`, timestamp: hex(timestamp), baseFeePerGas: hex(baseFeeWei), gasLimit: hex(blockGasLimit),
    gasUsed: hex(mined.reduce((sum, { gasUsed }) => sum + gasUsed, 0)),
    transactions: mined.map(({ transaction: { hash: own, from, nonce } }) => (whole ? { hash: own, from, nonce: hex(nonce) } : own)),
  };
}

function showReceipt({ number, hash }: SimulatedBlock, { transaction, succeeded, gasUsed, gasPriceWei, logs }: MinedTransaction): object {
  const place = { blockNumber: hex(number), blockHash: hash, transactionHash: transaction.hash };
  return {
    ...place, from: transaction.from, to: transaction.to, contractAddress: null, status: succeeded ? '0x1' : '0x0', gasUsed: hex(gasUsed), effectiveGasPrice: hex(gasPriceWei),
    logs: logs.map((log, at) => ({ ...log, ...place, logIndex: hex(at) })),
  };
}

function hex(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}
