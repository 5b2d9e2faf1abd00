import type { Clock } from '@vouch/platform/process/doors';
import type { Logger } from '@vouch/platform/log/logger';
import type { KeptAlarm } from '../state/nodeState.ts';

/** Everything that an operator is called for. Codes are stable: never reuse one. */
type AlarmCode =
  /** No endpoint has answered for a while. */
  | 'rpc-unavailable'
  /** An endpoint serves another chain than the configured one. */
  | 'wrong-chain'
  /** The gateway has not taken anything over for a while. */
  | 'gateway-unavailable'
  /** The gateway refuses what is right by the chain as the RPC shows it. */
  | 'gateway-disagrees'
  /** No license is held by the node's key or delegated to it. */
  | 'not-delegated'
  /** The node could not enter the active set. */
  | 'cannot-enter'
  /** The node was put out of the active set. */
  | 'cleared'
  /** Chosen, half of the time is over, and the chain has no report. */
  | 'report-late'
  /** The time is over, and the chain has no report. */
  | 'report-missed'
  /** The hours of the day are reached, and the contract has not credited it at half of the time that is left. */
  | 'day-late'
  /** A day passed that the contract did not credit although the node was active long enough. */
  | 'day-lost'
  /** No nodes are chosen for an attestation: the random word does not come. */
  | 'randomness-late'
  /** An attestation cannot be judged: collateral is missing or out of date. */
  | 'no-vote'
  /** Collateral ends within three days and is not renewed. */
  | 'collateral-ending'
  /** Chosen for attestations that were announced before the first block that was looked at. */
  | 'announcement-unknown'
  /** This machine's clock differs from the chain's. */
  | 'clock-skew'
  /** Another program reports with the same key. */
  | 'second-copy'
  /** Commission or claimer cannot be changed as the configuration says. */
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
  /** When it was raised, milliseconds. */
  since: number;
}

/** One that still stands is said again after so long. */
const reminderMs = 6 * 3_600_000;
const maxKept = 200;

/** The alarms of a node: each is said once at error when it begins, again every six hours, and once when it is over. */
export class Alarms {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #tell: (event: AlarmEvent) => void;
  readonly #standing = new Map<string, KeptAlarm & { code: AlarmCode; saidAt: number }>();

  /** @param tell gets every event beside the log */
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

  /** Something that does not last, such as a report that was missed. */
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
    if (what === 'over') this.#log.info(fields, `No longer so: ${sentence}`);
    else this.#log.error(fields, sentence);
    this.#tell(event);
  }
}

function key(code: AlarmCode, subject: string): string {
  return `${code} ${subject}`;
}
