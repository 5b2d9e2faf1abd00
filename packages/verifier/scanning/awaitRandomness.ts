import { askRandomnessData } from '@vouch/chain/contracts/service/actions';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall, getBlock } from '@vouch/chain/rpc/chainReads';
import { isRevert } from '@vouch/chain/contracts/service/views';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptAttestation } from '../state/nodeState.ts';

const lookSeconds = 60;
const idleMs = 1_000;
/** Nodes are usually chosen seconds after an announcement. After this time the random word counts as late. */
const lateSeconds = 900;
/** An attestation that waits for longer will not get nodes any more and raises no alarm. */
const endedSeconds = 2 * 86_400;

/**
 * Watches attestations for which no nodes are chosen, and raises an alarm for them. A node in gas mode asks the contract to
 * request the random word again; otherwise the gateway asks.
 */
export class RandomnessLane {
  readonly #parts: NodeParts;
  /** Timestamps of the announcements' blocks by block number, in seconds. */
  readonly #times = new Map<number, number>();
  #lookedAt = -Infinity;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { system, signal, log, time } = this.#parts;
    while (!signal.aborted) {
      const now = time.head?.timestamp ?? null;
      if (now !== null && Math.abs(now - this.#lookedAt) >= lookSeconds) {
        this.#lookedAt = now;
        await this.#look(now).catch((error: unknown) => {
          if (!signal.aborted) log.debug({ fault: messageOf(error) }, 'attestations without chosen nodes could not be checked');
        });
      }
      await system.timers.sleep(idleMs, signal);
    }
  }

  async #look(now: number): Promise<void> {
    const { record, alarms } = this.#parts;
    const waiting = new Map<string, KeptAttestation>();
    for (const each of record.all()) if (each.state === 'announced' && each.chosenBlock === null && !waiting.has(each.requestId)) waiting.set(each.requestId, each);
    for (const { code, subject } of alarms.standing) if (code === 'randomness-late' && !waiting.has(subject)) alarms.clear('randomness-late', subject);
    for (const block of this.#times.keys()) if (![...waiting.values()].some((each) => each.block === block)) this.#times.delete(block);
    for (const [requestId, attestation] of waiting) await this.#judge(requestId, attestation, now);
  }

  async #judge(requestId: string, { attestationId, block }: KeptAttestation, now: number): Promise<void> {
    const { alarms, configuration: { sending } } = this.#parts;
    const age = now - await this.#timeOf(block, now);
    if (age > endedSeconds) return alarms.clear('randomness-late', requestId);
    if (sending.through === 'itself') await this.#ask(requestId);
    if (age < lateSeconds) return;
    const who = sending.through === 'itself' ? 'This program requests the random word again as soon as the contract allows it.' : 'The gateway requests the random word again if the contract allows it (its setting VOUCH_KEEPER); any account can call requestRandomnessAgain.';
    alarms.raise('randomness-late', `No nodes are chosen for attestation ${attestationId}, announced ${Math.floor(age / 60)} minutes ago with request ${requestId}: the random word has not arrived. ${who}`, requestId);
  }

  async #timeOf(block: number, now: number): Promise<number> {
    const known = this.#times.get(block);
    if (known !== undefined) return known;
    const time = (await getBlock(this.#parts.rpc, block, this.#parts.signal))?.timestamp ?? now;
    this.#times.set(block, time);
    return time;
  }

  /** Asks the contract to request the random word again. A call that would revert is not sent: contracts refuse a request that is too early or repeated, and older contracts lack the function. */
  async #ask(requestId: string): Promise<void> {
    const { rpc, node, configuration: { contract }, sender, log, signal } = this.#parts;
    if (sender.sendData === undefined) return;
    const data: Hex = askRandomnessData(BigInt(requestId));
    try {
      await ethCall(rpc, { from: node, to: contract.service, data }, 'latest', signal);
    } catch (error) {
      if (isRevert(error)) return;
      throw error;
    }
    await sender.sendData(data, async () => {}, signal);
    log.warn({ request: requestId }, 'The node asks the contract to request a missing random word again.');
  }
}
