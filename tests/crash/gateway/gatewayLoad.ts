import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { signMessage, messagePaths, type Body, type UnsignedMessage } from '../../../packages/gateway/conformance/signMessage.ts';
import type { SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import type { Ledger } from '../harness/ledger.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import { effectKey, type GatewayWorld } from './gatewayWorld.ts';

/** A signed message, as known to its client. */
export interface Message {
  kind: UnsignedMessage['kind'];
  /** Identifies the effect of the message among the chain's events; see `effectKey`. */
  key: string;
  path: string;
  body: Body;
  /** Path of its record; null before the gateway has responded. */
  record: string | null;
}

/** Simulated clients of the gateway. */
export interface GatewayLoad {
  drive(ledger: Ledger<Message>, random: SeededRandom, signal: AbortSignal): Promise<void>;
  /** Resends messages that received no response, as a careful client does. */
  repeatOpen(ledger: Ledger<Message>): Promise<void>;
}

const lanes = 4;
/** A client's patience, not a limit of the test: a message without a response stays open and is sent again. */
const patienceMs = 5_000;
const hour = 3_600;
const headers = { 'content-type': 'application/json', origin: 'https://operator.example', 'user-agent': 'crash-test', 'x-app-id': 'verifier' };

/**
 * @param pauseMsMax longest pause of each of the four clients between two messages, in ms; the average is half of it
 * @param unanswered called with the reason if a message gets no answer, or status 5xx
 */
export function createLoad(world: GatewayWorld, pauseMsMax = 60, unanswered: (why: string) => void = () => {}): GatewayLoad {
  const { place, isolates } = world;
  let next = 0;
  /** Whether each of the other nodes is intended to be active. */
  const active = new Map<Hex, boolean>();

  function choose(random: SeededRandom): { account: TestAccount; unsigned: UnsignedMessage } {
    const expiredAt = Math.floor(Date.now() / 1_000) + hour + (next % hour);
    const reporter = random.pick(world.reporters);
    const choice = random.below(isolates ? 10 : 8);
    const duty = choice < 4 ? world.duties.pop() : undefined;
    if (duty !== undefined) {
      const account = world.reporters.find(({ address }) => address === duty.node) as TestAccount;
      return { account, unsigned: { kind: 'report', attestation_id: duty.attestationId, result: 0, index: duty.index } };
    }
    // Each message has a distinct claimer, so that the events of both contracts distinguish the messages.
    if (choice < 8) return { account: reporter, unsigned: { kind: 'claimer', claimer: `0x${(next + 1).toString(16).padStart(40, '0')}`, expired_at: expiredAt } };
    if (choice === 8) return { account: reporter, unsigned: { kind: 'commission', commission_rate: next % 10_000, expired_at: expiredAt } };
    const other = random.pick(world.others);
    const leaves = active.get(other.address) === true;
    active.set(other.address, !leaves);
    return { account: other, unsigned: leaves ? { kind: 'exit', expired_at: expiredAt } : { kind: 'enter', replaced_node: zeroAddress, expired_at: expiredAt } };
  }

  async function send(ledger: Ledger<Message>, id: string, message: Message): Promise<void> {
    const answer = await postMessage(place, message).catch((error: Error) => error);
    if (answer instanceof Error || answer.status >= 500) {
      unanswered(answer instanceof Error ? `${answer.message} ${String(answer.cause ?? '')}` : `${answer.status} ${answer.text}`);
      return void (await sleep(20));
    }
    if (answer.status === 200) ledger.acknowledge(id, { ...message, record: answer.record });
    else ledger.refuse(id);
  }

  return {
    async drive(ledger, random, signal) {
      if (world.duties.length < 2 * lanes) await world.attest();
      const lane = async (): Promise<void> => {
        while (!signal.aborted) {
          const id = `message-${next++}`;
          const { account, unsigned } = choose(random);
          const message = await makeMessage(world, account, unsigned);
          ledger.begin(id, message);
          await send(ledger, id, message);
          await sleep(random.below(pauseMsMax));
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    async repeatOpen(ledger) {
      const open = [...ledger.entries()].filter(([, { state }]) => state === 'open');
      await Promise.all(open.map(([id, { effect }]) => send(ledger, id, effect)));
    },
  };
}

/** Signs a message. */
export async function makeMessage({ chain, isolates }: GatewayWorld, account: TestAccount, unsigned: UnsignedMessage): Promise<Message> {
  const key = effectKey(isolates, {
    kind: unsigned.kind, signer: account.address, digest: `0x${Buffer.from(digestOf(toOperation(unsigned), domainHash(chain.domain))).toString('hex')}`,
    ...(unsigned.kind === 'report' ? { attestationId: unsigned.attestation_id } : {}), ...(unsigned.kind === 'claimer' ? { claimer: unsigned.claimer } : {}),
  });
  return { kind: unsigned.kind, key, path: messagePaths[unsigned.kind], body: await signMessage(unsigned, chain.domain, account.privateKey), record: null };
}

/**
 * Sends a message to a gateway.
 * @returns the status, the path of the message's record, and the body
 * @throws Error if there is no answer within 5 s
 */
export async function postMessage({ host = '127.0.0.1', port }: VouchPlace, { path, body }: Message): Promise<{ status: number; record: string | null; text: string }> {
  const answer = await fetch(`http://${host}:${port}/explorer_alphanet${path}`, {
    method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(patienceMs),
  });
  return { status: answer.status, record: answer.headers.get('location'), text: await answer.text().catch(() => '') };
}

function toOperation(unsigned: UnsignedMessage): Operation {
  switch (unsigned.kind) {
    case 'enter': return { kind: 'enter', replacedNode: unsigned.replaced_node, expiredAt: BigInt(unsigned.expired_at) };
    case 'exit': return { kind: 'exit', expiredAt: BigInt(unsigned.expired_at) };
    case 'commission': return { kind: 'commission', commissionRate: unsigned.commission_rate, expiredAt: BigInt(unsigned.expired_at) };
    case 'claimer': return { kind: 'claimer', claimer: unsigned.claimer, expiredAt: BigInt(unsigned.expired_at) };
    case 'report': return { kind: 'report', attestationId: unsigned.attestation_id, result: unsigned.result, index: unsigned.index };
  }
}
