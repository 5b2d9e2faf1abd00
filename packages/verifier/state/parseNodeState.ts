import type { Hex } from '@vouch/chain/messages/operation';
import type { AttestationState, KeptAlarm, KeptAttestation, KeptDay, KeptTransaction, Membership, NodeState } from './nodeState.ts';

/** Maximum length of a state file in characters; five thousand ended and as many open attestations need less. */
export const maxStateLength = 32 * 2 ** 20;
const maxList = 50_000;
const maxText = 4_096;

/** Thrown if a field has a wrong value. The message is a sentence that names the field. */
export class StateFault extends Error {
  override readonly name = 'StateFault';
}

type Read<Value> = (value: unknown, name: string) => Value;

const states: readonly AttestationState[] = ['announced', 'chosen', 'sent', 'reported', 'missed', 'withheld', 'notChosen'];

/**
 * Parses a stored state and checks every field; the text is not trusted.
 * @throws StateFault
 */
export function parseNodeState(text: string): NodeState {
  if (text.length > maxStateLength) throw new StateFault(`it has ${text.length} characters, more than any state`);
  const fields = object(parseJson(text), 'the state');
  if (fields['version'] !== 1) throw new StateFault(`its version is ${show(fields['version'])}, but this program supports version 1`);
  const checkpoints = list(checkpoint)(fields['checkpoints'], 'checkpoints');
  if (checkpoints.length === 0) throw new StateFault('checkpoints is empty');
  const day = orNull(contractDay)(fields['day'] ?? null, 'day');
  return {
    version: 1,
    chainId: count(fields['chainId'], 'chainId'), chainName: words(fields['chainName'], 'chainName'),
    service: hex(20)(fields['service'], 'service'), node: hex(20)(fields['node'], 'node'), genesis: hex(32)(fields['genesis'], 'genesis'),
    checkpoints,
    startedAt: count(fields['startedAt'], 'startedAt'), savedAt: count(fields['savedAt'], 'savedAt'), chainSeenAt: orNull(count)(fields['chainSeenAt'], 'chainSeenAt'),
    attestations: list(attestation)(fields['attestations'], 'attestations'),
    membership: membership(fields['membership'], 'membership'),
    day,
    // Older releases counted a day when they first saw the next one.
    countedDay: orNull(count)(fields['countedDay'] ?? (day === null || day.index === 0 ? null : day.index - 1), 'countedDay'),
    online: list(onlineDay)(fields['online'], 'online'),
    lastChosenAt: orNull(count)(fields['lastChosenAt'], 'lastChosenAt'), lastReportedAt: orNull(count)(fields['lastReportedAt'], 'lastReportedAt'),
    counts: counts(fields['counts'], 'counts'),
    // Files of older releases lack these fields.
    transactions: list(transaction)(fields['transactions'] ?? [], 'transactions'),
    standby: orNull(standby)(fields['standby'], 'standby'),
    alarms: list(alarm)(fields['alarms'], 'alarms'),
  };
}

function attestation(value: unknown, name: string): KeptAttestation {
  const fields = object(value, name);
  const field = <Value>(key: keyof KeptAttestation, read: Read<Value>): Value => read(fields[key], `${name}.${key}`);
  return {
    attestationId: field('attestationId', hex(32)), requestId: field('requestId', decimal), block: field('block', count), transactionHash: field('transactionHash', hex(32)),
    chosenIndex: field('chosenIndex', orNull(count)), chosenBlock: field('chosenBlock', orNull(count)), chosenAt: field('chosenAt', orNull(count)),
    deadline: field('deadline', orNull(count)), halfTime: field('halfTime', orNull(count)), verdict: field('verdict', orNull(verdict)), reason: field('reason', orNull(words)),
    sentence: field('sentence', orNull(words)), judgedAt: field('judgedAt', orNull(count)), basis: field('basis', orNull(words)), state: field('state', stateName),
    attempts: field('attempts', count), sentAt: field('sentAt', orNull(count)), reportedAt: field('reportedAt', orNull(count)),
    sentHash: field('sentHash', orNull(hex(32))), lastError: field('lastError', orNull(words)),
  };
}

function membership(value: unknown, name: string): Membership {
  const fields = object(value, name);
  const field = <Result>(key: keyof Membership, read: Read<Result>): Result => read(fields[key], `${name}.${key}`);
  return {
    id: field('id', count), active: field('active', truth), readAt: field('readAt', orNull(count)), activeSince: field('activeSince', orNull(count)),
    weight: field('weight', orNull(count)), claimer: field('claimer', orNull(hex(20))), commissionRate: field('commissionRate', orNull(count)), missed: field('missed', orNull(count)),
  };
}

function counts(value: unknown, name: string): NodeState['counts'] {
  const fields = object(value, name);
  const field = (key: keyof NodeState['counts']): number => count(fields[key], `${name}.${key}`);
  // Files of older releases lack the counts of days.
  const later = (key: 'daysCredited' | 'daysLost'): number => count(fields[key] ?? 0, `${name}.${key}`);
  return {
    announced: field('announced'), chosen: field('chosen'), reported: field('reported'), missed: field('missed'), notVoted: field('notVoted'),
    daysCredited: later('daysCredited'), daysLost: later('daysLost'),
  };
}

function contractDay(value: unknown, name: string): KeptDay {
  const fields = object(value, name);
  const field = <Result>(key: keyof KeptDay, read: Read<Result>): Result => read(fields[key], `${name}.${key}`);
  return {
    index: field('index', count), begin: field('begin', count), end: field('end', count), creditedWeight: field('creditedWeight', orNull(count)),
    neededSeconds: field('neededSeconds', orNull(count)), readAt: field('readAt', count),
  };
}

function checkpoint(value: unknown, name: string): NodeState['checkpoints'][number] {
  const fields = object(value, name);
  return { block: count(fields['block'], `${name}.block`), hash: hex(32)(fields['hash'], `${name}.hash`) };
}

function onlineDay(value: unknown, name: string): NodeState['online'][number] {
  const fields = object(value, name);
  const day = words(fields['day'], `${name}.day`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new StateFault(`${name}.day is ${show(day)}, which is not a day`);
  return { day, seconds: count(fields['seconds'], `${name}.seconds`) };
}

function onlyTrue(value: unknown, name: string): true {
  if (value !== true) throw new StateFault(`${name} is ${show(value)}, which is not true`);
  return value;
}

function transaction(value: unknown, name: string): KeptTransaction {
  const fields = object(value, name);
  const field = <Result>(key: keyof KeptTransaction, read: Read<Result>): Result => read(fields[key], `${name}.${key}`);
  return {
    nonce: field('nonce', count), data: field('data', callData), gas: field('gas', decimal), maxFee: field('maxFee', decimal), tip: field('tip', decimal),
    ...(fields['legacy'] === undefined ? {} : { legacy: field('legacy', onlyTrue) }),
    hashes: field('hashes', list(hex(32))), sentAt: field('sentAt', count),
  };
}

function standby(value: unknown, name: string): NonNullable<NodeState['standby']> {
  const fields = object(value, name);
  return { since: count(fields['since'], `${name}.since`), because: words(fields['because'], `${name}.because`) };
}

function alarm(value: unknown, name: string): KeptAlarm {
  const fields = object(value, name);
  const text = (key: keyof KeptAlarm): string => words(fields[key], `${name}.${key}`);
  return { code: text('code'), subject: text('subject'), sentence: text('sentence'), since: count(fields['since'], `${name}.since`) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StateFault('it is not JSON');
  }
}

function object(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new StateFault(`${name} is not an object`);
  return value as Record<string, unknown>;
}

function list<Member>(read: Read<Member>): Read<Member[]> {
  return (value, name) => {
    if (!Array.isArray(value) || value.length > maxList) throw new StateFault(`${name} is not a list of at most ${maxList} elements`);
    return value.map((member, at) => read(member, `${name}[${at}]`));
  };
}

function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value, name) => (value === null ? null : read(value, name));
}

function count(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new StateFault(`${name} is ${show(value)}, not a whole number from 0`);
  return value;
}

function words(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > maxText) throw new StateFault(`${name} is not a text of at most ${maxText} characters`);
  return value;
}

function decimal(value: unknown, name: string): string {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw new StateFault(`${name} is not a number`);
  return value;
}

function truth(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new StateFault(`${name} is neither true nor false`);
  return value;
}

function verdict(value: unknown, name: string): 0 | 1 | 2 {
  if (value !== 0 && value !== 1 && value !== 2) throw new StateFault(`${name} is ${show(value)}, not 0, 1 or 2`);
  return value;
}

function stateName(value: unknown, name: string): AttestationState {
  const found = states.find((known) => known === value);
  if (found === undefined) throw new StateFault(`${name} is ${show(value)}, which is not a state`);
  return found;
}

/** Call data of any length. */
function callData(value: unknown, name: string): Hex {
  const text = words(value, name);
  if (!/^0x(?:[0-9a-f]{2})*$/.test(text)) throw new StateFault(`${name} is not bytes in hex`);
  return text as Hex;
}

function hex(bytes: number): Read<Hex> {
  const pattern = new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`);
  return (value, name) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new StateFault(`${name} is not ${bytes} bytes in hex`);
    return value as Hex;
  };
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
