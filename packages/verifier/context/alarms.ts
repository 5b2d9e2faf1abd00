import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Logger } from '@vouch/platform/log/logger';
import type { KeptAlarm } from '../state/nodeState.ts';

/** Codes of all alarms. The codes are stable: a retired code is never used again. */
type AlarmCode =
  /** No RPC endpoint has answered for two minutes. */
  | 'rpc-unavailable'
  /** An endpoint serves another chain than the configured one. */
  | 'wrong-chain'
  /** The gateway has not accepted a message for a while. */
  | 'gateway-unavailable'
  /** The gateway refuses a message that is valid according to the RPC endpoint. */
  | 'gateway-disagrees'
  /** No license is held by the node's key or delegated to it. */
  | 'not-delegated'
  /** The node could not enter the active set. */
  | 'cannot-enter'
  /** The contract removed the node from the active set. */
  | 'cleared'
  /** The node was chosen, half of the report window has passed, and the chain has no report of the node. */
  | 'report-late'
  /** The report window has passed, and the chain has no report of the node. */
  | 'report-missed'
  /** The node was active long enough for the day, and at half of the remaining time the contract has not credited the day. */
  | 'day-late'
  /** A day ended without credit although the node was active long enough. */
  | 'day-lost'
  /** No nodes are chosen for an attestation because its random word has not arrived. */
  | 'randomness-late'
  /** An attestation cannot be judged: collateral is missing or out of date. */
  | 'no-vote'
  /** Collateral ends within three days, or has ended, and is not renewed. */
  | 'collateral-ending'
  /** The node was chosen for attestations whose announcement it has not seen. */
  | 'announcement-unknown'
  /** This machine's clock differs from the chain's. */
  | 'clock-skew'
  /** Another program reports with the same key. */
  | 'second-copy'
  /** Commission or claimer cannot be changed to the configured value. */
  | 'preference-refused'
  /** In gas mode: the key's balance does not pay for transactions. */
  | 'balance-low'
  /** The node's folder cannot be written. */
  | 'state-unwritable';

/** Something that happened to an alarm. */
export interface AlarmEvent {
  alarm: AlarmCode;
  what: 'raised' | 'reminded' | 'over';
  subject: string;
  sentence: string;
  /** When the alarm was raised, in milliseconds since 1970. */
  since: number;
}

/** Interval between reminders of an active alarm. */
const reminderMs = 6 * 3_600_000;
const maxKept = 200;

/** The alarms of a node. An alarm is logged at level error when it is raised and every six hours after that, and at level info when it is over. */
export class Alarms {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #tell: (event: AlarmEvent) => void;
  readonly #standing = new Map<string, KeptAlarm & { code: AlarmCode; saidAt: number }>();

  /** @param tell receives every event that is logged */
  constructor(log: Logger, clock: Clock, tell: (event: AlarmEvent) => void) {
    this.#log = log;
    this.#clock = clock;
    this.#tell = tell;
  }

  get standing(): KeptAlarm[] {
    return [...this.#standing.values()].map(({ code, subject, sentence, since }) => ({ code, subject, sentence, since }));
  }

  has(code: AlarmCode, subject = ''): boolean {
    return this.#standing.has(key(code, subject));
  }

  raise(code: AlarmCode, sentence: string, subject = ''): void {
    const now = this.#clock.now();
    const known = this.#standing.get(key(code, subject));
    if (known !== undefined) {
      known.sentence = sentence;
      if (now - known.saidAt < reminderMs) return;
      known.saidAt = now;
      this.#say({ alarm: code, what: 'reminded', subject, sentence, since: known.since });
      return;
    }
    if (this.#standing.size < maxKept) this.#standing.set(key(code, subject), { code, subject, sentence, since: now, saidAt: now });
    this.#say({ alarm: code, what: 'raised', subject, sentence, since: now });
  }

  /** Reports an event that has no end, such as a missed report. */
  say(code: AlarmCode, sentence: string, subject = ''): void {
    this.#say({ alarm: code, what: 'raised', subject, sentence, since: this.#clock.now() });
  }

  clear(code: AlarmCode, subject = ''): void {
    const known = this.#standing.get(key(code, subject));
    if (known === undefined) return;
    this.#standing.delete(key(code, subject));
    this.#say({ alarm: code, what: 'over', subject, sentence: known.sentence, since: known.since });
  }

  clearAll(): void {
    for (const { code, subject } of this.#standing.values()) this.clear(code, subject);
  }

  #say(event: AlarmEvent): void {
    const { alarm, what, subject, sentence } = event;
    const fields = { alarm, ...(subject === '' ? {} : { subject }) };
    if (what === 'over') this.#log.info(fields, `Resolved: ${sentence}`);
    else this.#log.error(fields, sentence);
    this.#tell(event);
  }
}

function key(code: AlarmCode, subject: string): string {
  return `${code} ${subject}`;
}
