import { setTimeout as sleep } from 'node:timers/promises';
import { fetchGasCounts } from '../gateway/gatewayBudgets.ts';
import { makeMessage, postMessage, type Message } from '../gateway/gatewayLoad.ts';
import { openWorld, type GatewayWorld } from '../gateway/gatewayWorld.ts';
import { awaitEnd, fetchRecord } from '../gateway/requestRecords.ts';
import type { Surroundings } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';

const endTimeoutMs = 120_000;
const lifeSeconds = 7_200;

/** The chain, and the messages of each operation of a gateway. */
export class PointMessages {
  #chain: GatewayWorld | null = null;
  readonly #messages = new Map<string, Message[]>();
  readonly #records = new Map<Message, string | null>();

  async open(more: Readonly<Record<string, string>> = {}): Promise<Surroundings> {
    const chain = await openWorld(true);
    this.#chain = chain;
    return { environment: { ...chain.environment, ...more, VOUCH_LOG_LEVEL: 'warn' }, close: () => chain.close() };
  }

  /** @throws Error before `open` */
  get chain(): GatewayWorld {
    if (this.#chain === null) throw new Error('the chain is not open');
    return this.#chain;
  }

  /** Signs a change of a claimer and a report. */
  async sign(id: string): Promise<void> {
    const { chain } = this;
    while (chain.duties.length === 0) await chain.attest();
    const duty = chain.duties.pop() as (typeof chain.duties)[number];
    const claimer = `0x${(this.#messages.size + 1).toString(16).padStart(40, '0')}` as const;
    const [first] = chain.reporters;
    const reporter = chain.reporters.find(({ address }) => address === duty.node);
    if (first === undefined || reporter === undefined) throw new Error('there is no reporter');
    this.#messages.set(id, [
      await makeMessage(chain, first, { kind: 'claimer', claimer, expired_at: Math.floor(Date.now() / 1_000) + lifeSeconds }),
      await makeMessage(chain, reporter, { kind: 'report', attestation_id: duty.attestationId, result: 0, index: duty.index }),
    ]);
  }

  /** Sends the messages of an operation. @throws Error if one is refused, or gets another record than before */
  async send({ place }: PointWorld, id: string): Promise<void> {
    for (const message of this.#messages.get(id) ?? []) {
      const { status, record, text } = await postMessage(place, message);
      if (status !== 200) throw new Error(`${message.kind} was answered with ${status}: ${text}`);
      const known = this.#records.get(message);
      if (known !== undefined && known !== record) throw new Error(`the repeated ${message.kind} was answered with ${record}, the first with ${known}`);
      this.#records.set(message, record);
    }
  }

  /** Waits until the records of the messages of an operation have a status. @throws Error if they do not in two minutes */
  async reach({ place }: PointWorld, id: string, status: string): Promise<void> {
    const paths = (this.#messages.get(id) ?? []).map((message) => this.#records.get(message) ?? null);
    const deadline = performance.now() + endTimeoutMs;
    for (;;) {
      const told = await Promise.all(paths.map((path) => fetchRecord(place, path)));
      if (told.every((record) => record.status === status)) return;
      if (performance.now() > deadline) throw new Error(`the messages are ${told.map((record) => record.status).join()} instead of ${status}`);
      await sleep(50);
    }
  }

  /** Lets the chain make a block per second, until the messages of an operation have ended. @throws Error with the faults of `check` */
  async conclude(world: PointWorld, id: string): Promise<void> {
    await this.chain.chain.rpc.request('evm_setIntervalMining', [1]);
    const faults = await this.check(world, [id]);
    if (faults.length > 0) throw new Error(faults.join());
  }

  /** Waits until the messages of operations have ended. @returns a fault for each that is not once on the chain and was not refused with a reason */
  async check({ place }: PointWorld, ids: readonly string[]): Promise<string[]> {
    const deadline = performance.now() + endTimeoutMs;
    const faults: string[] = [];
    const messages = ids.flatMap((id) => (this.#messages.get(id) ?? []).map((message) => ({ id, message })));
    const ends = new Map<Message, string>();
    for (const { message } of messages) {
      const { status, reason } = await awaitEnd(place, this.#records.get(message) ?? null, deadline);
      ends.set(message, `${status} ${reason}`.trim());
    }
    const effects = await this.chain.countEffects();
    for (const { id, message } of messages) {
      const times = effects.get(message.key) ?? 0;
      const end = ends.get(message) ?? '';
      const right = end === 'confirmed' ? times === 1 : /^(?:failed|expired) .{20}/.test(end) && times === 0;
      if (!right) faults.push(`${message.kind} of ${id} is ${end}, and took effect ${times} times`);
    }
    return faults;
  }
}

/** @returns a fault if the budgets do not equal the billed gas when all messages have ended */
export async function findWrongGas({ place }: PointWorld): Promise<string[]> {
  const gas = await fetchGasCounts(place, endTimeoutMs);
  return gas.reserved === 0 && gas.billed > 0 && gas.spent === gas.billed ? [] : [`the budgets are wrong: ${JSON.stringify(gas)}`];
}
