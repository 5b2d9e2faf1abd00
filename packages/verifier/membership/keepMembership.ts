import { fetchView, serviceViews, type CommissionRules } from '@vouch/chain/contracts/service/views';
import type { Operation } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { isDue } from '@vouch/platform/process/isDue';
import { messageOf } from '../logging/messageOf.ts';
import { showCommission } from '../config/commissionRate.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { SendFault } from '../context/sender.ts';
import { forgetLeft, hasLeft } from '../state/left.ts';
import { expiryOf } from './expiryOf.ts';

const idleMs = 1_000;
/** Time without effect after which an accepted operation is signed and sent again. */
const patienceMs = 120_000;
const retryMsFirst = 2_000;
const maxUnavailableMs = 60_000;
const maxRefusedMs = 3_600_000;
const maxWaitMs = 2 * maxRefusedMs;
/** The published rules, for contracts that do not expose their rules. */
const publishedRules: CommissionRules = { interval: 7 * 86_400, increaseMax: 500 };

type Kind = Exclude<Operation['kind'], 'report' | 'exit'>;

interface Try {
  nextAt: number;
  failures: number;
}

/**
 * Compares the chain with the configuration repeatedly and sends what differs: membership first, then claimer, then commission.
 * The result depends neither on earlier runs of the program nor on lost messages.
 */
export class MembershipLane {
  readonly #parts: NodeParts;
  readonly #folder: string;
  readonly #tries: Record<Kind, Try> = { enter: { nextAt: 0, failures: 0 }, claimer: { nextAt: 0, failures: 0 }, commission: { nextAt: 0, failures: 0 } };
  #rules: CommissionRules | null = null;

  /** @param folder of the node's state */
  constructor(parts: NodeParts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
  }

  async run(): Promise<void> {
    const { system, signal, log } = this.#parts;
    // Starting the node means taking part, even after an earlier `verifier exit`.
    await forgetLeft(this.#folder);
    while (!signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        if (!signal.aborted) log.warn({ fault: messageOf(error) }, 'The on-chain state of the node could not be compared with the configuration.');
      }
      await system.timers.sleep(idleMs, signal);
    }
  }

  async #step(): Promise<void> {
    const { record: { membership, standby }, time } = this.#parts;
    if (membership.readAt === null || time.head === null || membership.weight === null || membership.weight === 0) return;
    if (!membership.active) {
      const left = await hasLeft(this.#folder);
      // The chain may have been read meanwhile.
      if (!left && !membership.active && this.#mayEnter()) await this.#enter();
      return;
    }
    this.#tries.enter = { nextAt: 0, failures: 0 };
    // An entry can be refused after the chain showed the node as active.
    this.#parts.alarms.clear('cannot-enter');
    if (standby !== null) return;
    await this.#setClaimer();
    await this.#setCommission();
  }

  #mayEnter(): boolean {
    const { alarms, configuration, record } = this.#parts;
    if (!record.wasActive) return true;
    const { reenter } = configuration.node;
    alarms.raise('cleared', `This node is no longer in the active set: it missed reports, was replaced by a node with more licenses, or no longer has a license. ${reenter ? 'The node enters again.' : 'The node does not enter again, because node.reenter is false; a restart does.'}`);
    return reenter;
  }

  async #enter(): Promise<void> {
    await this.#try('enter', 'cannot-enter', 'enter the active set', async () => {
      const replacedNode = await this.#parts.sender.replacedNode(this.#parts.signal).catch((error: unknown) => {
        // Only a full set needs a node to replace; the contract decides whether the set is full.
        if (error instanceof SendFault && error.kind === 'unavailable') return zeroAddress;
        throw error;
      });
      return { kind: 'enter', replacedNode, expiredAt: expiryOf(this.#parts) };
    });
  }

  async #setClaimer(): Promise<void> {
    const { configuration: { rewardClaimer }, record: { membership }, alarms } = this.#parts;
    if (rewardClaimer === null) return;
    if (rewardClaimer === membership.claimer) return alarms.clear('preference-refused', 'claimer');
    await this.#try('claimer', 'preference-refused', `set the claimer to ${showAddress(rewardClaimer)}`, async () => ({ kind: 'claimer', claimer: rewardClaimer, expiredAt: expiryOf(this.#parts) }));
  }

  async #setCommission(): Promise<void> {
    const { configuration: { commissionRate: wanted }, record: { membership }, alarms } = this.#parts;
    const current = membership.commissionRate;
    if (wanted === null || current === null) return;
    if (wanted === current) return alarms.clear('preference-refused', 'commission');
    if (!isDue(this.#tries.commission.nextAt, maxWaitMs, this.#parts.system.clock.now())) return;
    this.#rules ??= await this.#fetchRules();
    // The contract limits each increase; the last step reaches the configured rate.
    const next = Math.min(wanted, current + this.#rules.increaseMax);
    if (await this.#mustWait(this.#rules.interval)) return;
    const way = next === wanted ? '' : `, a step towards ${showCommission(wanted)}, because the contract allows an increase of at most ${showCommission(this.#rules.increaseMax)} at a time`;
    await this.#try('commission', 'preference-refused', `set the commission to ${showCommission(next)}${way}`, async () => ({ kind: 'commission', commissionRate: next, expiredAt: expiryOf(this.#parts) }));
  }

  /** The contract accepts a change only after an interval. */
  async #mustWait(interval: number): Promise<boolean> {
    const { rpc, configuration: { contract }, node, time, system, log, signal } = this.#parts;
    const { lastModifyAt } = await fetchView(rpc, serviceViews.node(contract.service, node), signal);
    const left = lastModifyAt + interval - (time.now() ?? 0);
    if (lastModifyAt === 0 || left <= 0) return false;
    this.#tries.commission.nextAt = system.clock.now() + Math.min(left * 1_000, maxRefusedMs);
    log.info(`The commission differs from the configuration and can be changed in ${describeSeconds(left)}: the contract allows one change per ${describeSeconds(interval)}.`);
    return true;
  }

  async #fetchRules(): Promise<CommissionRules> {
    const { rpc, configuration: { contract }, signal } = this.#parts;
    try {
      return await fetchView(rpc, serviceViews.commissionRules(await fetchView(rpc, serviceViews.settings(contract.service), signal)), signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#parts.log.debug({ fault: messageOf(error) }, 'the contract does not return its rules');
      return publishedRules;
    }
  }

  async #try(kind: Kind, alarm: 'cannot-enter' | 'preference-refused', what: string, make: () => Promise<Operation>): Promise<void> {
    const { sender, system, log, alarms, signal } = this.#parts;
    const attempt = this.#tries[kind];
    if (!isDue(attempt.nextAt, maxWaitMs, system.clock.now())) return;
    const subject = kind === 'enter' ? '' : kind;
    try {
      await sender.send(await make(), async () => {}, signal);
      attempt.failures = 0;
      attempt.nextAt = system.clock.now() + patienceMs;
      alarms.clear(alarm, subject);
      log.info(`Submitted: ${what}.`);
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof SendFault && error.kind === 'refused';
      const sentence = messageOf(error);
      attempt.failures += 1;
      const wait = Math.min(refused ? maxRefusedMs : maxUnavailableMs, retryMsFirst * (refused ? 5 : 1) * 2 ** (attempt.failures - 1));
      attempt.nextAt = system.clock.now() + wait;
      if (refused) alarms.raise(alarm, `This node could not ${what}. ${sentence}`, subject);
      else log.warn(`Not submitted yet: ${what}; retrying in ${Math.round(wait / 1_000)} s. ${sentence}`);
    }
  }
}
