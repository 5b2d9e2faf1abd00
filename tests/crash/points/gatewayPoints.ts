import { openBudgets, fetchGasCounts } from '../gateway/gatewayBudgets.ts';
import { makeMessage, postMessage, type Message } from '../gateway/gatewayLoad.ts';
import { openWorld, type GatewayWorld } from '../gateway/gatewayWorld.ts';
import { awaitEnd } from '../gateway/requestRecords.ts';
import type { PointOperation, Surroundings } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf } from './quietPoints.ts';

const endTimeoutMs = 120_000;
const lifeSeconds = 7_200;
/** Reads of the chain, and changes beside any message: of leases, of the state of a key, of what was seen on the chain, and of rows that are too old. */
const beside = anyOf(
  /\brequest POST eth_(?:blockNumber|call|chainId|estimateGas|feeHistory|get\w+|simulateV1)$/, /\bleases SET\b/, /\binto leases\b/,
  /\bgateway_(?:lines|scans|attestations|activity)\b/, /\bwith ended as \( ?update gateway_requests r set state = 'expired'/, /\bdelete from gateway_/, /\bwebhook_deliveries SET\b/,
);

/** The chain, and the messages of each operation. */
class Messages {
  chain: GatewayWorld | null = null;
  readonly #messages = new Map<string, Message[]>();
  readonly #records = new Map<Message, string | null>();

  async open(more: Readonly<Record<string, string>> = {}): Promise<Surroundings> {
    this.chain = await openWorld(true);
    const { environment } = this.chain;
    return { environment: { ...environment, ...more, VOUCH_LOG_LEVEL: 'warn' }, close: async () => this.chain?.close() };
  }

  /** Signs a change of a claimer and a report. */
  async sign(id: string): Promise<void> {
    const { chain } = this;
    if (chain === null) throw new Error('the chain is not open');
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
    const effects = await this.chain?.countEffects();
    for (const { id, message } of messages) {
      const times = effects?.get(message.key) ?? 0;
      const end = ends.get(message) ?? '';
      const right = end === 'confirmed' ? times === 1 : /^(?:failed|expired) .{20}/.test(end) && times === 0;
      if (!right) faults.push(`${message.kind} of ${id} is ${end}, and took effect ${times} times`);
    }
    return faults;
  }
}

async function findWrongGas({ place }: PointWorld): Promise<string[]> {
  const gas = await fetchGasCounts(place, endTimeoutMs);
  return gas.reserved === 0 && gas.billed > 0 && gas.spent === gas.billed ? [] : [`the budgets are wrong: ${JSON.stringify(gas)}`];
}

/**
 * Sends two signed messages. After a death, the repeated messages get the record of the first answer; at the end, each is once on the chain, and the
 * budgets equal the receipts.
 */
export function intakePoints(): PointOperation {
  const messages = new Messages();
  return {
    name: 'intake', arguments: ['--only', 'gateway'], beside,
    open: () => messages.open(),
    prepare: ({ place }) => openBudgets(place),
    ready: (_world, id) => messages.sign(id),
    perform: (world, id) => messages.send(world, id),
    async recover(world, id) {
      return messages.send(world, id).then(() => [], (error: unknown) => [`repeated: ${(error as Error).message}`]);
    },
    finish: async (world, ids) => [...await messages.check(world, ids), ...await findWrongGas(world)],
  };
}

/** Carries out two accepted messages, from their batch to the note of its receipt. After a death, each is once on the chain. */
export function sendingPoints(): PointOperation {
  const messages = new Messages();
  return {
    name: 'sending', arguments: ['--only', 'gateway'], beside,
    // Enough time to arm the points between the answer and the batch.
    open: () => messages.open({ VOUCH_BATCH_WINDOW_MS: '1000' }),
    prepare: ({ place }) => openBudgets(place),
    async ready(world, id) {
      await messages.sign(id);
      await messages.send(world, id);
    },
    async perform(world, id) {
      const faults = await messages.check(world, [id]);
      if (faults.length > 0) throw new Error(faults.join());
    },
    recover: (world, id) => messages.check(world, [id]),
    finish: async (world, ids) => [...await messages.check(world, ids), ...await findWrongGas(world)],
  };
}
