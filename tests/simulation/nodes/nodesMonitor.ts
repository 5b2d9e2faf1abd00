import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningNode } from '@vouch/verifier/node/startNode';
import { stateFile, type NodeState } from '@vouch/verifier/state/nodeState';
import type { ServiceAttestation } from '../chain/serviceState.ts';
import type { SimulatedChain } from '../chain/simulatedChain.ts';
import type { Transaction } from '../chain/transaction.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import type { PlannedAttestation } from './attestations.ts';
import type { CollateralDates } from './collateralModel.ts';
import type { SentBody } from './gatewayModel.ts';
import { folderOf, type SimulatedNode } from './nodeProcess.ts';

/** Alarms that may be active at the end: faults step the clocks of the processes, and random words do not arrive. */
const lasting: ReadonlySet<string> = new Set(['clock-skew', 'randomness-late']);

/** Time in seconds without faults that a report may take: a node that was refused or not heard waits up to five minutes. */
const marginSeconds = 480;
/** Time in seconds that a node may take to have valid collateral. */
const collateralSeconds = 510;

/** The promises of verifier nodes. */
export class NodesMonitor {
  readonly #simulation: Simulation;
  readonly #chain: SimulatedChain;
  readonly #nodes: readonly SimulatedNode[];
  readonly #root: string;
  readonly #attestations: ReadonlyMap<string, PlannedAttestation>;
  readonly #dates: CollateralDates;
  /** The running nodes, as their newest lives started them. */
  readonly running = new Map<string, RunningNode>();
  readonly counts = { reported: 0, missed: 0, notChosen: 0, unchosen: 0, failedTransactions: 0 };

  /** @param attestations all that are announced, by their ids; dates: those of the collateral */
  constructor(simulation: Simulation, chain: SimulatedChain, nodes: readonly SimulatedNode[], root: string, attestations: ReadonlyMap<string, PlannedAttestation>, dates: CollateralDates) {
    this.#simulation = simulation;
    this.#chain = chain;
    this.#nodes = nodes;
    this.#root = root;
    this.#attestations = attestations;
    this.#dates = dates;
  }

  /** A gateway got a message of a node. */
  noteMessage(name: string, { path, body }: SentBody): void {
    if (!path.endsWith('report_verification')) return;
    const id = String(body['attestation_id']);
    if (body['result'] !== this.#attestations.get(id)?.verdict) this.#report('A report has the right verdict', `${name} reports ${String(body['result'])} on ${id.slice(0, 10)}`);
    const kept = this.#stored(name)?.attestations.find(({ attestationId }) => attestationId === id);
    // Without collateral, a node can judge only that an attestation is not valid.
    const { endsMs, renewedMs } = this.#dates;
    if (body['result'] === 0 && this.#simulation.nowMs < renewedMs && (kept?.judgedAt ?? 0) > startMs + endsMs) this.#report('A vote is by collateral that is valid', `${name} votes on ${id.slice(0, 10)} when the collateral has ended`);
    if ((kept?.attempts ?? 0) === 0) this.#report('A report is stored before it is sent', `${name} sends a report on ${id.slice(0, 10)}, whose stored state is ${kept?.state ?? 'unknown'}`);
  }

  /** An endpoint got a transaction of a node. */
  noteTransaction({ from, hash, nonce }: Transaction): void {
    const senders = this.#nodes.filter(({ account }) => account.address === from);
    const stored = senders.flatMap(({ name }) => this.#stored(name)?.transactions ?? []);
    if (!stored.some(({ hashes }) => hashes.includes(hash))) this.#report('A transaction is stored before it is sent', `nonce ${nonce} of ${senders.map(({ name }) => name).join(' or ')}`);
  }

  /** Checks what holds at any time. */
  checkStates(): void {
    for (const [name, running] of this.running) {
      const state = running.state();
      if (state === null) continue;
      if (state.standby !== null && !this.#hasTwin(name)) this.#report('A node stands by only for a second program with its key', `${name}: ${state.standby.because.slice(0, 120)}`);
      this.#checkCounts(name, state);
    }
  }

  /**
   * Checks what holds when nothing has failed for a long time.
   * @param quietFrom end of the faults, in seconds since 1970
   * @param collateralFrom time from which the collateral service has valid collateral and no faults
   */
  checkEnds({ quietFrom, collateralFrom }: { quietFrom: number; collateralFrom: number }): void {
    const safeFrom = Math.max(quietFrom + marginSeconds, collateralFrom + collateralSeconds + marginSeconds);
    this.checkStates();
    const { service } = this.#chain.head;
    for (const node of this.#nodes) {
      const state = this.running.get(node.name)?.state() ?? null;
      if (state === null) {
        this.#report('A node runs after faults', `${node.name} has no state`);
        continue;
      }
      const own = service.nodes.get(node.account.address)!;
      if (!own.active || own.claimer !== node.claimer || own.commissionRate !== node.commissionRate) this.#report('A node is in the active set, with the claimer and commission of its configuration', `${node.name}: active ${own.active}, ${own.claimer}, ${own.commissionRate}`);
      for (const attestation of service.attestations) this.#checkEnd(node, state, attestation, safeFrom);
      const left = state.alarms.filter(({ code }) => !lasting.has(code) && !(code === 'second-copy' && this.#hasTwin(node.name)));
      if (left.length > 0) this.#report('An alarm ends with its cause', `${node.name}: ${left.map(({ code, sentence }) => `${code}: ${sentence.slice(0, 150)}`).join('; ')}`);
      if (state.transactions.length > 0) this.#report('No transaction stays pending', `${node.name}: nonces ${state.transactions.map(({ nonce }) => nonce).join(', ')}`);
    }
    for (let block = this.#chain.head; block.parent !== null; block = block.parent) this.counts.failedTransactions += block.mined.filter(({ succeeded }) => !succeeded).length;
  }

  #checkEnd({ name, account }: SimulatedNode, state: NodeState, { id, chosenId, chosen, deadline }: ServiceAttestation, safeFrom: number): void {
    const { service } = this.#chain.head;
    const kept = state.attestations.find(({ attestationId }) => attestationId === id);
    const index = chosen.indexOf(service.nodes.get(account.address)!.id);
    const vote = service.votes.get(`${id} ${index}`);
    const expected = chosenId === 0 ? 'announced' : index < 0 ? 'notChosen' : vote === undefined ? 'missed' : 'reported';
    this.counts[expected === 'announced' ? 'unchosen' : expected] += 1;
    const what = `${name}, attestation ${id.slice(0, 10)}`;
    // A node that was down until the deadline has not judged the attestation.
    const said = kept?.state === 'withheld' ? 'missed' : kept?.state;
    if (said !== expected) this.#report('A node knows how an attestation ended', `${what} ended as ${expected}; the node says ${kept?.state ?? 'nothing'}`);
    if (vote !== undefined && vote - 1 !== this.#attestations.get(id)?.verdict) this.#report('A report has the right verdict', `${what}: ${vote - 1}`);
    if (expected === 'missed' && deadline >= safeFrom) this.#report('A report is on the chain before its deadline', `${what}, whose deadline was ${deadline - startMs / 1_000} s after the start`);
  }

  #checkCounts(name: string, { counts, attestations }: NodeState): void {
    const found = {
      announced: attestations.length, chosen: attestations.filter(({ chosenAt }) => chosenAt !== null).length, reported: attestations.filter(({ reportedAt }) => reportedAt !== null).length,
      missed: attestations.filter((each) => each.state === 'missed').length, notVoted: attestations.filter((each) => each.state === 'withheld').length,
    };
    for (const [what, count] of Object.entries(found)) {
      if (counts[what as keyof typeof found] !== count) this.#report('Counts agree with the attestations', `${name} counts ${counts[what as keyof typeof found]} ${what}, and lists ${count}`);
    }
  }

  /** The state that a node would find after a crash. */
  #stored(name: string): NodeState | null {
    const node = this.#nodes.find((each) => each.name === name)!;
    try {
      return JSON.parse(readFileSync(join(folderOf(this.#root, node), stateFile), 'utf8')) as NodeState;
    } catch {
      return null;
    }
  }

  #hasTwin(name: string): boolean {
    const { account } = this.#nodes.find((each) => each.name === name)!;
    return this.#nodes.some((each) => each.name !== name && each.account === account);
  }

  #report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }
}
