import type { Client } from 'pg';
import { defaultBudgets, type BudgetScope } from '@vouch/gateway/budgets/budget';
import type { OperationKind } from '@vouch/chain/messages/operation';
import type { DatabaseServer } from '../database/databaseServer.ts';
import type { ServerConnection } from '../database/serverConnection.ts';
import type { Simulation } from '../kernel/simulation.ts';
import { ancestor, type SimulatedChain } from '../chain/simulatedChain.ts';
import { messageKey } from '../chain/serviceState.ts';
import type { Clients, SentMessage } from './clients.ts';
import { isRefusedFinally, isUnchangedFinally } from './decidedFinally.ts';
import { confirmations, signerBudgets } from './gatewayProcess.ts';
import { readRows, type GatewayRows, type SeenAttempt, type SeenBatch, type SeenLease, type SeenRequest } from './gatewayRows.ts';

/** Time in ms for which leases are not judged by the database's clock after a step of this clock. */
const clockDoubtMs = 15_000;

/** Checks the promises of the gateway after each commit. */
export class GatewayMonitor {
  readonly #simulation: Simulation;
  readonly #server: DatabaseServer;
  readonly #chain: SimulatedChain;
  readonly #clients: () => Clients;
  readonly #requests = new Map<string, SeenRequest>();
  readonly #batches = new Map<string, SeenBatch>();
  readonly #attempts = new Map<string, SeenAttempt>();
  readonly #leases = new Map<string, SeenLease>();
  /** The connections of which one took the lease, by the fence of the lease. */
  readonly #holders = new Map<string, readonly ServerConnection[]>();
  /** Batch of each nonce, by relayer and nonce. */
  readonly #nonces = new Map<string, string>();
  #lastSequence = 0;
  /** Messages that waited for a block to become final, and those of them that were sent afterwards, by id. */
  readonly #held = new Set<string>();
  readonly #heldThenSent = new Set<string>();
  /** Messages that another sender gave to the contract, by digest and signer. */
  readonly foreign = new Set<string>();

  constructor(simulation: Simulation, server: DatabaseServer, chain: SimulatedChain, clients: () => Clients) {
    this.#simulation = simulation;
    this.#server = server;
    this.#chain = chain;
    this.#clients = clients;
    server.uninspected = /gateway_lines/;
    server.inspect = (control, actors, connections) => this.#inspect(control, actors[0]!, connections);
    server.terminated = (connection, by) => this.#checkTerminated(connection, by);
  }

  get allEnded(): boolean {
    return [...this.#requests.values()].every(isEnded) && [...this.#batches.values()].every(isFinal);
  }

  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { state } of this.#requests.values()) counts[state] = (counts[state] ?? 0) + 1;
    const refused = this.#clients().messages.filter((message) => message.refused !== null).length;
    const unchanged = [...this.#requests.values()].filter(({ code }) => code === 'unchanged').length;
    return { ...counts, refused, unchanged, held: this.#held.size, 'held and then sent': this.#heldThenSent.size };
  }

  attempt(hash: string): SeenAttempt | undefined {
    return this.#attempts.get(hash);
  }

  report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }

  /** Checks that everything ended as clients were told. */
  async checkEnds(): Promise<void> {
    for (const { requestId, planned } of this.#clients().messages) {
      if (requestId === null) continue;
      const row = this.#requests.get(requestId);
      if (row === undefined) this.report('An accepted message exists', `${planned.name} was accepted and has no row`);
      else if (!isEnded(row)) this.report('An accepted message ends', `${planned.name} is still ${row.state}`);
    }
    for (const row of this.#requests.values()) {
      const times = this.#timesApplied(row);
      if (!this.foreign.has(keyOf(row)) && (row.state === 'failed' || row.state === 'expired') && times > 0) this.report('A message that failed has no effect', `${this.#nameOf(row)} is ${row.state} and took effect`);
      if (times > 1) this.report('A message takes effect at most once', `${this.#nameOf(row)} took effect ${times} times`);
    }
    this.#checkOrder();
    for (const batch of this.#batches.values()) if (!isFinal(batch)) this.report('A transaction becomes final', `batch of nonce ${batch.nonce} is ${batch.state}`);
    const { spending } = await readRows(this.#server.control, { open: [], lastSequence: this.#lastSequence, batches: [] });
    const left = spending.find(({ reserved }) => reserved !== 0);
    if (left !== undefined) this.report('Gas is reserved for open messages only', `${left.reserved} gas are reserved for ${left.scope} ${left.subject} ${left.kind} and no message is open`);
  }

  /** Node changes of a signer take effect in the order in which they were accepted. */
  #checkOrder(): void {
    const sequences = new Map([...this.#requests.values()].map((row) => [keyOf(row), row]));
    const last = new Map<string, SeenRequest>();
    for (const key of this.#chain.head.service.changes) {
      const row = sequences.get(key);
      if (row === undefined || this.foreign.has(key)) continue;
      const before = last.get(row.signer);
      if (before !== undefined && before.sequence > row.sequence) this.report('Changes of a node keep their order', `${this.#nameOf(before)} took effect before ${this.#nameOf(row)}`);
      last.set(row.signer, row);
    }
  }

  async #inspect(control: Client, actor: string, connections: readonly ServerConnection[]): Promise<void> {
    const rows = await readRows(control, {
      open: [...this.#requests.values()].filter((row) => !isEnded(row)).map(({ id }) => id), lastSequence: this.#lastSequence,
      batches: [...this.#batches.values()].filter((batch) => !isFinal(batch)).map(({ id }) => id),
    });
    this.#compareLeases(rows.leases, actor, connections);
    this.#compareBatches(rows, actor, connections);
    this.#compareRequests(rows, actor);
    this.#checkSpending(rows);
  }

  #compareRequests({ requests }: GatewayRows, actor: string): void {
    const present = new Set(requests.map(({ id }) => id));
    for (const row of this.#requests.values()) if (!isEnded(row) && !present.has(row.id)) this.report('An accepted message exists', `the row of ${this.#nameOf(row)} was removed`);
    for (const row of requests) {
      const old = this.#requests.get(row.id);
      this.#requests.set(row.id, row);
      this.#lastSequence = Math.max(this.#lastSequence, row.sequence);
      this.#noteHold(row, old, actor);
      if (old?.state === row.state && old.sequence === row.sequence) continue;
      this.#simulation.story.tell(actor, `${this.#nameOf(row)} is ${row.state}${row.code === null ? '' : ` (${row.code})`}`);
      if (old !== undefined && isEnded(old) && (old.state === 'confirmed' || old.sequence === row.sequence)) this.report('An ended message never changes', `${this.#nameOf(row)} was ${old.state} and is ${row.state}`);
      if (isEnded(row)) this.#compareEnd(row);
    }
  }

  #compareEnd(row: SeenRequest): void {
    const name = this.#nameOf(row);
    if (row.state !== 'confirmed' && (row.code === null || row.reason === null)) this.report('A message that is not confirmed has a reason', `${name} is ${row.state} without one`);
    // Without a reason of the contract, a message ends only if it cannot be sent again.
    if (row.code === 'contract-refused' && row.reason?.includes('a later message of the signer') !== true) this.report('A message fails with the reason that the contract gives', `${name}: ${row.reason}`);
    if (row.code === 'message-used' && !this.foreign.has(keyOf(row))) this.report('A message is paid for once', `${name} took effect by an earlier transaction of the gateway`);
    // Where a transaction refused the message, messages before it in the same transaction can have decided.
    if (row.batch === null && (row.code === 'unchanged' || row.state === 'failed')) this.#checkDecided(row);
    if (row.state !== 'confirmed' || row.code === 'unchanged') return;
    const times = this.#timesAppliedFinally(row);
    if (times !== 1) this.report('A confirmed message took effect exactly once', `${name} took effect ${times} times in final blocks`);
  }

  #noteHold(row: SeenRequest, old: SeenRequest | undefined, actor: string): void {
    const { id, heldBlock, heldCode, state } = row;
    if (heldBlock !== null && heldBlock !== old?.heldBlock) {
      this.#held.add(id);
      this.#simulation.story.tell(actor, `${this.#nameOf(row)} waits until block ${heldBlock} is final (${heldCode})`);
    }
    if (state === 'sent' && this.#held.has(id)) this.#heldThenSent.add(id);
  }

  #checkDecided(row: SeenRequest): void {
    const message = this.#messageOf(row);
    if (message === undefined) return;
    const { planned: { operation }, digest, signer, signature } = message;
    const isDecided = row.code === 'unchanged' ? isUnchangedFinally : isRefusedFinally;
    if (isDecided(this.#chain, confirmations, { requestId: row.id, operation, digest, signer, signature })) return;
    this.report('A message ends without a transaction only by a final block', `${this.#nameOf(row)} is ${row.state} (${row.code}), and no final block says so`);
  }

  #compareBatches({ batches, attempts }: GatewayRows, actor: string, connections: readonly ServerConnection[]): void {
    for (const batch of batches) {
      const old = this.#batches.get(batch.id);
      this.#batches.set(batch.id, batch);
      if (old?.state === batch.state) continue;
      this.#compareBatch(batch, actor, connections);
    }
    for (const attempt of attempts) {
      if (!this.#attempts.has(attempt.hash)) this.#checkWriter(this.#batches.get(attempt.batch)!, connections, 'stores a transaction');
      this.#attempts.set(attempt.hash, attempt);
    }
    // A claim that was dropped has no row any more.
    const present = new Set(batches.map(({ id }) => id));
    for (const { id, state } of this.#batches.values()) {
      if (present.has(id) || state === 'confirmed' || state === 'abandoned') continue;
      if (state !== 'claimed') this.report('A signed transaction is never forgotten', `the row of a batch that is ${state} was removed`);
      this.#batches.delete(id);
    }
  }

  #compareBatch(batch: SeenBatch, actor: string, connections: readonly ServerConnection[]): void {
    if (batch.nonce === null) return;
    this.#checkWriter(batch, connections, `makes a batch ${batch.state}`);
    this.#simulation.story.tell(actor, `nonce ${batch.nonce} of ${batch.relayer.slice(0, 6)} (${batch.purpose}) is ${batch.state}`);
    const key = `${batch.relayer} ${batch.nonce}`;
    const other = this.#nonces.get(key);
    if (other !== undefined && other !== batch.id) this.report('A nonce belongs to one batch', `nonce ${batch.nonce} of ${batch.relayer.slice(0, 6)} is used for a second batch`);
    this.#nonces.set(key, batch.id);
    if (batch.state === 'abandoned' && !this.#isForeign(batch)) this.report('A transaction that can still be mined is not abandoned', `nonce ${batch.nonce}: ${batch.reason}`);
    if (batch.state !== 'confirmed') return;
    const block = this.#chain.placeOf(`0x${batch.transaction!}`, this.#chain.head);
    if (block === null || this.#chain.head.number - block.number < confirmations) return this.report('A confirmed transaction is final', `nonce ${batch.nonce} is ${block === null ? 'in no block' : `in block ${block.number} of ${this.#chain.head.number}`}`);
    const { gasUsed, gasPriceWei } = block.mined.find(({ transaction }) => transaction.hash === `0x${batch.transaction!}`)!;
    if (batch.gas !== gasUsed || BigInt(batch.price!) !== gasPriceWei) this.report('The bill of a transaction is what the chain charged', `nonce ${batch.nonce}: ${batch.gas} gas at ${batch.price} wei instead of ${gasUsed} at ${gasPriceWei}`);
  }

  /** Whether a final block has a transaction of another program with the nonce of a batch. */
  #isForeign({ id, relayer, nonce }: SeenBatch): boolean {
    const user = this.#chain.userOf(`0x${relayer}`, nonce!);
    if (user === null || this.#chain.head.number - user.block.number < confirmations) return false;
    return ![...this.#attempts.values()].some(({ batch, hash }) => batch === id && `0x${hash}` === user.transaction.hash);
  }

  #checkWriter({ relayer, nonce }: SeenBatch, connections: readonly ServerConnection[], what: string): void {
    if (nonce === null) return;
    const lease = [...this.#leases.values()].find(({ name }) => name.endsWith(relayer));
    const holders = lease?.fence == null ? [] : this.#holders.get(lease.fence) ?? [];
    if (connections.some((connection) => holders.includes(connection))) return;
    this.report('Only the holder of a lease writes its lane', `${ownersOf(connections)} ${what} of nonce ${nonce}, and ${ownersOf(holders) || 'nobody'} holds the lease`);
  }

  #compareLeases(leases: readonly SeenLease[], actor: string, connections: readonly ServerConnection[]): void {
    for (const lease of leases) {
      const old = this.#leases.get(lease.name);
      this.#leases.set(lease.name, lease);
      if (lease.fence === null || lease.fence === old?.fence) continue;
      this.#holders.set(lease.fence, connections);
      this.#simulation.story.tell(actor, `takes the lease of ${relayerOf(lease)}`);
      const before = old?.fence == null ? [] : this.#holders.get(old.fence) ?? [];
      // The server gives a lease on at once if it knows that the connection of the holder is lost.
      if (before.length > 0 && before.every(({ isOpen }) => isOpen) && this.#isRunning(old!)) this.#reportTaken(old!, before, ownersOf(connections));
    }
  }

  #checkTerminated(connection: ServerConnection, by: string): void {
    for (const lease of this.#leases.values()) {
      const holders = lease.fence === null ? [] : this.#holders.get(lease.fence) ?? [];
      if (holders.includes(connection) && this.#isRunning(lease)) this.#reportTaken(lease, holders, by);
    }
  }

  #isRunning({ until }: SeenLease): boolean {
    return until !== null && until >= this.#server.clockMs && this.#simulation.nowMs - this.#server.lastClockStepAtMs > clockDoubtMs;
  }

  #reportTaken(lease: SeenLease, holders: readonly ServerConnection[], by: string): void {
    this.report('A lease is exclusive until it is over', `${relayerOf(lease)}, held by ${ownersOf(holders)} for another ${Math.round(lease.until! - this.#server.clockMs)} ms, was taken by ${by}`);
  }

  #checkSpending({ spending }: GatewayRows): void {
    for (const { scope, subject, kind, reserved, spent } of spending) {
      const most = (scope === 'signer' ? signerBudgets[kind] : undefined) ?? defaultBudgets[scope as BudgetScope][kind as OperationKind];
      if (reserved < 0) this.report('Reserved gas is never negative', `${scope} ${subject} ${kind}: ${reserved}`);
      if (reserved + spent > most) this.report('Money spent stays within the budget', `${scope} ${subject} ${kind}: ${reserved} reserved and ${spent} spent, of ${most}`);
    }
  }

  #timesApplied(row: SeenRequest): number {
    return this.#chain.head.service.applied.get(keyOf(row)) ?? 0;
  }

  #timesAppliedFinally(row: SeenRequest): number {
    const { head } = this.#chain;
    return ancestor(head, head.number - confirmations)?.service.applied.get(keyOf(row)) ?? 0;
  }

  #messageOf({ digest, signer }: SeenRequest): SentMessage | undefined {
    return this.#clients().messages.find((each) => each.digest === `0x${digest}` && each.signer === `0x${signer}`);
  }

  #nameOf(row: SeenRequest): string {
    return `${this.#messageOf(row)?.planned.name ?? 'an unknown message'} (${row.kind})`;
  }
}

function ownersOf(connections: readonly ServerConnection[]): string {
  return connections.map(({ owner }) => owner).join(', ');
}

function keyOf({ digest, signer }: SeenRequest): string {
  return messageKey(`0x${digest}`, `0x${signer}`);
}

/** The first digits of the relayer's address in the name of a lease. */
function relayerOf({ name }: SeenLease): string {
  return name.slice(-40, -34);
}

function isEnded({ state }: SeenRequest): boolean {
  return state === 'confirmed' || state === 'failed' || state === 'expired';
}

function isFinal({ state }: SeenBatch): boolean {
  return state === 'confirmed' || state === 'abandoned';
}
