import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { initialFees, isPayable, isStuck, replacementFees, type Fees } from '../../fees/fees.ts';
import { fetchFeeMarket } from '../../fees/fetchFeeMarket.ts';
import type { Hex } from '../../messages/operation.ts';
import { broadcast } from '../../rpc/broadcast.ts';
import { getBlock, getCode, getNonce, getReceipt, type Receipt } from '../../rpc/chainReads.ts';
import { parseQuantity } from '../../rpc/parseResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import type { Signer } from '../../signers/signer.ts';
import { explainRefusal } from './explainRefusal.ts';
import { DeploymentFault } from './deploymentFault.ts';
import type { Attempt, DeploymentRecord, RecordedStep } from './deploymentRecord.ts';
import { showGwei } from './showAmount.ts';

export interface SendOptions {
  signer: Signer;
  timers: Timers;
  /** Maximum price of a unit of gas, in wei. */
  feeCapWei: bigint;
  /** Number of blocks that must follow each transaction before the deployment is complete. */
  confirmations: number;
  /** Stores the record. Nothing is sent before this promise resolves. */
  save(record: DeploymentRecord): Promise<void>;
  /** Receives progress messages. */
  tell(sentence: string): void;
  signal?: AbortSignal;
  /** Polling interval while waiting. Default: 1,000. */
  pollMs?: number;
}

/** Default of `pollMs`. */
const pollMsUsual = 1_000;
/** Interval in ms of the first polls of a step: some chains have a block within 0.3 s, and a deployment has about 20 steps. */
const firstPollMs = 100;
const firstPolls = 3;
/** Number of polls for a receipt after the nonce is used: an endpoint may know the new nonce before the receipt. */
const looksForReceipt = 30;
/** Maximum number of restarts after reorganizations. */
const roundsMax = 10;

/**
 * Sends the remaining steps of a deployment one by one and waits for confirmations. Each signed transaction is recorded before it is
 * sent, so an interrupted deployment can be continued by calling this function again, and no step is executed twice.
 * @returns the complete record
 * @throws DeploymentFault; SignerFault; RpcRefused, RpcUnavailable; the reason of `signal`
 */
export async function sendSteps(rpc: RpcClient, record: DeploymentRecord, options: SendOptions): Promise<DeploymentRecord> {
  const sending = new Sending(rpc, record, options);
  for (let round = 0; round < roundsMax; round++) {
    await sending.sendAll();
    if (await sending.areConfirmed()) return sending.complete();
  }
  throw new DeploymentFault('chain', `The chain was reorganized ${roundsMax} times while the deployment waited for confirmations. Run the command again once the chain is stable.`);
}

class Sending {
  private record: DeploymentRecord;
  private readonly rpc: RpcClient;
  private readonly options: SendOptions;
  /** Per attempt hash: the block at which this process started waiting, and the number of polls since. */
  private readonly waits = new Map<Hex, { headNumber: number; looks: number }>();
  /** Messages already reported, so that polling does not repeat them. */
  private readonly told = new Set<string>();

  constructor(rpc: RpcClient, record: DeploymentRecord, options: SendOptions) {
    this.rpc = rpc;
    this.record = record;
    this.options = options;
  }

  async sendAll(): Promise<void> {
    for (let at = 0; at < this.record.steps.length; at++) {
      if (this.stepAt(at).mined !== null) continue;
      const receipt = await this.send(at);
      const mined = { hash: receipt.transactionHash, block: receipt.blockNumber, gasUsed: receipt.gasUsed, feeWei: receipt.gasUsed * receipt.effectiveGasPrice };
      await this.change(at, { mined });
      this.options.tell(`${at + 1} of ${this.record.steps.length}  ${this.stepAt(at).name}  block ${receipt.blockNumber}, ${receipt.gasUsed} gas`);
    }
  }

  /** Waits until enough blocks follow. Returns false if a reorganization removed a transaction, whose step is then open again. */
  async areConfirmed(): Promise<boolean> {
    const { confirmations } = this.options;
    const last = Math.max(...this.record.steps.map(({ mined }) => mined?.block ?? 0));
    if (confirmations > 0) this.options.tell(`waiting for ${confirmations === 1 ? '1 block' : `${confirmations} blocks`} after block ${last}`);
    for (;;) {
      const head = await getBlock(this.rpc, 'latest', this.options.signal);
      if (head !== null && head.number >= last + confirmations) break;
      await this.pause();
    }
    let confirmed = true;
    for (const [at, { mined }] of this.record.steps.entries()) {
      const receipt = mined === null ? null : await getReceipt(this.rpc, mined.hash, this.options.signal);
      if (receipt !== null && receipt.blockNumber === mined?.block) continue;
      confirmed = false;
      await this.change(at, { mined: null });
    }
    return confirmed;
  }

  async complete(): Promise<DeploymentRecord> {
    for (const { name, creates } of this.record.steps) {
      if (creates === null || (await getCode(this.rpc, creates.address, this.options.signal)) !== '0x') continue;
      throw new DeploymentFault('state', `The transaction ${JSON.stringify(name)} is in a block, but there is no contract at ${creates.address}. Check that all RPC endpoints serve the same chain.`);
    }
    await this.save({ ...this.record, state: 'complete' });
    return this.record;
  }

  /** Sends a step and waits until one of its attempts is in a block. */
  private async send(at: number): Promise<Receipt> {
    let missing = 0;
    for (let polls = 0; ; polls += 1) {
      const receipt = await this.findReceipt(at);
      if (receipt !== null) return receipt;
      const attempt = this.stepAt(at).attempts.at(-1);
      if (attempt === undefined) await this.begin(at);
      else if ((await this.nonceNow('latest')) > attempt.nonce) {
        // The nonce is used: either by an attempt whose receipt is not yet known, or by another program.
        missing += 1;
        if (missing > looksForReceipt) await this.giveNonceUp(at, attempt);
      } else if (polls === 0 || polls > firstPolls) await this.pursue(at, attempt);
      await this.pause(polls < firstPolls ? firstPollMs : undefined);
    }
  }

  private async findReceipt(at: number): Promise<Receipt | null> {
    const { name, attempts } = this.stepAt(at);
    for (const { hash } of attempts.toReversed()) {
      const receipt = await getReceipt(this.rpc, hash, this.options.signal);
      if (receipt === null) continue;
      if (receipt.succeeded) return receipt;
      const isCall = this.stepAt(at).creates === null;
      if (isCall) await this.change(at, { attempts: [] });
      throw new DeploymentFault('state', isCall
        ? `The transaction ${JSON.stringify(name)} was reverted (${hash}). Run the command again: it resends the transaction once the simulation succeeds.`
        : `The transaction ${JSON.stringify(name)} was reverted (${hash}), and the addresses of all later contracts depend on it. Start a new deployment with another --record.`);
    }
    return null;
  }

  private async begin(at: number): Promise<void> {
    const step = this.stepAt(at);
    const nonce = await this.freeNonce(at);
    const fees = await this.affordableFees();
    const gasLimit = await this.gasFor(step);
    await this.attempt(at, { nonce, gasLimit, fees });
  }

  /** Returns the account's next nonce. A step that creates a contract must have the nonce from which its address was computed. */
  private async freeNonce(at: number): Promise<number> {
    const { name, creates } = this.stepAt(at);
    const [latest, pending] = [await this.nonceNow('latest'), await this.nonceNow('pending')];
    if (pending > latest) {
      throw new DeploymentFault('state', `The account ${this.record.deployer} has ${pending - latest} pending transactions of other programs. Wait until they are mined or cancel them, then run the command again.`);
    }
    const planned = this.record.firstNonce + at;
    if (creates !== null && latest !== planned) {
      throw new DeploymentFault('state', `The account ${this.record.deployer} sent other transactions: its next nonce is ${latest}, but ${JSON.stringify(name)} needs ${planned}, because contract addresses depend on nonces. `
        + 'Start a new deployment with another --record, and do not use the account for anything else until it is complete.');
    }
    return latest;
  }

  private async attempt(at: number, { nonce, gasLimit, fees }: { nonce: number; gasLimit: bigint; fees: Fees }): Promise<void> {
    const { signer, signal } = this.options;
    const step = this.stepAt(at);
    const transaction = { chainId: this.record.chainId, nonce, to: step.to, data: step.data, gasLimit, ...fees };
    const { hash, raw } = await signer.signTransaction(transaction, signal);
    const attempt: Attempt = { nonce, hash, raw, maxFeeWei: fees.maxFeeWei, priorityFeeWei: fees.priorityFeeWei };
    await this.change(at, { attempts: [...step.attempts, attempt] });
    await this.give(at, attempt);
  }

  /** Submits an attempt, also again: nodes drop transactions, and a reorganization removes transactions from blocks. */
  private async give(at: number, { raw }: Attempt): Promise<void> {
    const answer = await broadcast(this.rpc, raw, this.options.signal);
    // "nonce too low": a transaction with this nonce is already in a block; the next poll finds its receipt.
    if (answer.kind === 'taken' || answer.kind === 'rumour') return;
    const { name } = this.stepAt(at);
    if (answer.kind === 'funds') {
      throw new DeploymentFault('state', `The account ${this.record.deployer} cannot pay for ${JSON.stringify(name)} (${answer.said}). Send native currency of the chain to the account, then run the command again: it continues the deployment.`);
    }
    if (answer.kind === 'unsendable') {
      throw new DeploymentFault('chain', `The endpoint rejects the transaction ${JSON.stringify(name)}: ${answer.said}. Run the command again with another endpoint in VOUCH_CHAIN_RPC_URL.`);
    }
    this.tellOnce(`the endpoint does not accept ${name} yet: ${answer.said}`);
  }

  /** Replaces an attempt with higher fees if the base fee exceeds its offer or it has waited too long; otherwise submits it again. */
  private async pursue(at: number, attempt: Attempt): Promise<void> {
    const { signal, feeCapWei, pollMs = pollMsUsual } = this.options;
    const market = await fetchFeeMarket(this.rpc, feeCapWei, signal);
    const wait = this.waits.get(attempt.hash) ?? { headNumber: market.headNumber, looks: 0 };
    this.waits.set(attempt.hash, { ...wait, looks: wait.looks + 1 });
    const blocks = market.headNumber - wait.headNumber;
    const underpriced = !isPayable(attempt, market.baseFeeWei);
    if (!underpriced && !isStuck({ blocks, ms: wait.looks * pollMs })) return this.give(at, attempt);
    const { name } = this.stepAt(at);
    const fees = replacementFees(attempt, market);
    if (fees === null) {
      this.tellOnce(`${name} waits: its fee is ${showGwei(attempt.maxFeeWei)} gwei, and 12.5 % more would exceed the limit of ${showGwei(feeCapWei)} gwei (VOUCH_MAX_FEE_GWEI)`);
      return this.give(at, attempt);
    }
    this.tellOnce(`raising the fees of ${name} to ${showGwei(fees.maxFeeWei)} gwei`);
    return this.attempt(at, { nonce: attempt.nonce, gasLimit: await this.gasFor(this.stepAt(at)), fees });
  }

  private tellOnce(sentence: string): void {
    if (!this.told.has(sentence)) this.options.tell(sentence);
    this.told.add(sentence);
  }

  private async giveNonceUp(at: number, { nonce }: Attempt): Promise<void> {
    const { name, creates } = this.stepAt(at);
    if (creates !== null) {
      throw new DeploymentFault('state', `The account ${this.record.deployer} used the nonce ${nonce} of ${JSON.stringify(name)} for another transaction, and the addresses of all later contracts depend on it. `
        + 'Start a new deployment with another --record, and do not use the account for anything else until it is complete.');
    }
    // A plain call may use any nonce, and none of its recorded transactions can be included any more.
    await this.change(at, { attempts: [] });
  }

  private async affordableFees(): Promise<Fees> {
    const { feeCapWei, signal } = this.options;
    const market = await fetchFeeMarket(this.rpc, feeCapWei, signal);
    const fees = initialFees(market);
    if (fees !== null) return fees;
    const neededWei = market.legacy ? market.suggestedTipWei : market.baseFeeWei;
    throw new DeploymentFault('chain', `The chain requires ${showGwei(neededWei)} gwei per gas; the limit is ${showGwei(feeCapWei)} gwei (VOUCH_MAX_FEE_GWEI). Run the command again when fees are lower, or raise the limit.`);
  }

  private async gasFor({ name, to, data }: RecordedStep): Promise<bigint> {
    const call = { from: this.record.deployer, ...(to === null ? {} : { to }), data };
    try {
      const estimated = await this.rpc.ask('eth_estimateGas', [call], parseQuantity, this.options.signal);
      // Adds a quarter: because of refunds and the 63/64 rule, estimates are too low for nested calls.
      return (estimated * 5n) / 4n;
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error;
      throw new DeploymentFault('state', `The transaction ${JSON.stringify(name)} would fail: ${explainRefusal(error)}`, { cause: error });
    }
  }

  private nonceNow(tag: 'latest' | 'pending'): Promise<number> {
    return getNonce(this.rpc, this.record.deployer, tag, this.options.signal);
  }

  private stepAt(at: number): RecordedStep {
    return this.record.steps[at] as RecordedStep;
  }

  private change(at: number, change: Partial<RecordedStep>): Promise<void> {
    return this.save({ ...this.record, steps: this.record.steps.map((step, place) => (place === at ? { ...step, ...change } : step)) });
  }

  private async save(record: DeploymentRecord): Promise<void> {
    await this.options.save(record);
    this.record = record;
  }

  private async pause(maxMs = Infinity): Promise<void> {
    const { timers, signal, pollMs = pollMsUsual } = this.options;
    await timers.sleep(Math.min(pollMs, maxMs), signal);
    signal?.throwIfAborted();
  }
}

/**
 * Returns the positions of steps that are not in a block. Checks the chain too: if the sender was killed, an included transaction may not
 * be recorded.
 * @throws RpcUnavailable
 */
export async function findLeft(rpc: RpcClient, { steps }: DeploymentRecord, signal?: AbortSignal): Promise<number[]> {
  const left: number[] = [];
  for (const [at, { mined, attempts }] of steps.entries()) {
    if (mined !== null) continue;
    const receipts = await Promise.all(attempts.map(({ hash }) => getReceipt(rpc, hash, signal)));
    if (!receipts.some((receipt) => receipt?.succeeded === true)) left.push(at);
  }
  return left;
}

/** Whether no transaction of the deployment was ever signed; the deployment can then be planned again. */
export function sentNothing({ steps }: DeploymentRecord): boolean {
  return steps.every(({ attempts, mined }) => attempts.length === 0 && mined === null);
}
