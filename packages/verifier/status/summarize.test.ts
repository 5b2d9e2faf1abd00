import { describe, expect, it } from 'vitest';
import type { KeptAttestation, NodeState } from '../state/nodeState.ts';
import type { ChainView } from './chainView.ts';
import { describeSeconds } from './describeSeconds.ts';
import { describeStatus } from './describeStatus.ts';
import type { Status } from './status.ts';
import { summarize, whyMissed, type Known } from './summarize.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const node = `0x${'ab'.repeat(20)}` as const;
const hash = `0x${'cd'.repeat(32)}` as const;
const state: NodeState = {
  version: 1, chainId: 1, chainName: 'test', service: node, node, genesis: hash, checkpoints: [{ block: 7, hash }], startedAt: now, savedAt: now - 5_000, chainSeenAt: now,
  attestations: [], membership: { id: 1, active: true, readAt: now, activeSince: now, weight: 2, claimer: null, commissionRate: 0, missed: 0 },
  online: [{ day: '2026-02-28', seconds: 86_000 }, { day: '2026-03-01', seconds: 25_000 }], lastChosenAt: now - 60_000, lastReportedAt: now - 50_000,
  counts: { announced: 9, chosen: 5, reported: 4, missed: 1, notVoted: 0 }, transactions: [], standby: null, alarms: [],
};
const chain: ChainView = {
  active: true, weight: 2, missed: 0, earned: 3n * 10n ** 18n, claimed: 10n ** 18n, enteredAt: now / 1_000 - 90_000,
  rules: { onlineSecondsMin: 21_600, daySeconds: 86_400, missedReportsMax: 2 }, time: now / 1_000,
};
const known: Known = { found: { node, folder: '/data/node' }, chainName: 'test', state, chain, process: 77, now };
const of = (changes: Partial<NodeState>): Known => ({ ...known, state: { ...state, ...changes } });
const inactive = { ...state.membership, active: false };

describe('whether a node earns', () => {
  it.each<[string, Known, Status['earning']['verdict'], string]>([
    ['online for long enough', known, 'yes', 'was online for 6 h 56 min today; 6 h are needed'],
    ['online for less', of({ online: [{ day: '2026-03-01', seconds: 3_600 }] }), 'not yet', 'needs 5 h more today: 1 h of 6 h'],
    ['a new day', of({ online: [{ day: '2026-02-28', seconds: 86_000 }] }), 'not yet', 'needs 6 h more today'],
    ['a copy that stands by', of({ standby: { since: now, because: 'a report of another' }, online: [] }), 'yes', 'this one stands by'],
    ['a missed report', { ...known, chain: { ...chain, missed: 1 } }, 'yes', 'A report was missed since it entered'],
    ['never run', { ...known, state: null, process: null, chain: { ...chain, active: false } }, 'no', 'No node has run with this key here: start verifier.'],
    ['active without ever having run here', { ...known, state: null, process: null }, 'no', 'it runs elsewhere'],
    ['not running', { ...known, process: null }, 'no', 'not running, and has not since 2026-03-01T11:59:55.000Z'],
    ['hanging', of({ savedAt: now - 3_600_000 }), 'no', 'has kept nothing for 1 h'],
    ['no license', { ...known, chain: { ...chain, active: false, weight: 0 } }, 'no', 'No license'],
    ['not active', { ...known, chain: { ...chain, active: false } }, 'no', 'about to enter'],
    ['kept out', { ...of({ alarms: [{ code: 'cannot-enter', subject: '', sentence: 'The set is full.', since: now }] }), chain: { ...chain, active: false } }, 'no', 'The set is full.'],
    ['active by what was kept, the chain away', { ...known, chain: 'No endpoint answers.' }, 'yes', 'online for 6 h 56 min'],
    ['inactive by what was kept, the chain away', { ...of({ membership: inactive }), chain: 'No endpoint answers.' }, 'no', 'not in the active set'],
    ['the chain never read', { ...of({ membership: { ...inactive, readAt: null } }), chain: 'No endpoint answers.' }, 'no', 'No endpoint answers.'],
  ])('%s', (_what, given, verdict, because) => {
    expect(summarize(given).earning).toEqual({ verdict, because: expect.stringContaining(because) as string });
  });

  it('on a chain whose days are minutes, goes by what the contract counts', () => {
    const local = { ...chain, rules: { onlineSecondsMin: 150, daySeconds: 600, missedReportsMax: 2 }, time: 6_100, enteredAt: 5_000 };
    expect(summarize({ ...known, chain: local }).online).toMatchObject({ today_seconds: 100, needed_seconds: 150, counted_by: 'contract' });
    expect(summarize({ ...known, chain: { ...local, enteredAt: 6_080 } }).online.today_seconds).toBe(20);
  });

  it('says in words what it says in JSON, and nothing that steers a terminal', () => {
    const text = describeStatus(summarize({ ...of({ alarms: [{ code: 'report-late', subject: hash, sentence: 'late\u001b[2J', since: now - 60_000 }] }), chain: 'gone\u0007' }), now);
    for (const part of ['Earning         yes. ', 'Online today    6 h 56 min of 6 h needed', 'Days before     2026-02-28 23 h 53 min', '1 min ago', 'chosen 5 times: 4 reported, 1 missed', 'late\\u{1b}[2J [report-late', 'gone\\u{7}']) expect(text).toContain(part);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('why a report was missed', () => {
  const kept: KeptAttestation = {
    attestationId: hash, requestId: '1', block: 5, transactionHash: hash, chosenIndex: 0, chosenBlock: 6, chosenAt: now, deadline: now / 1_000 + 1_800, halfTime: now / 1_000 + 900,
    verdict: 0, reason: 'verified', sentence: 'Every check passed.', judgedAt: now, basis: null, state: 'missed', attempts: 2, sentAt: now, reportedAt: null, sentHash: null, lastError: null,
  };
  it.each<[Partial<KeptAttestation>, string]>([
    [{ lastError: 'gateway.example refuses connections' }, 'gateway.example refuses connections'],
    [{ verdict: null, sentence: 'The TCB info ended.' }, 'no vote could be given: The TCB info ended.'],
    [{ attempts: 0 }, 'never sent: the program stopped before'],
    [{ attempts: 0, chosenAt: now + 3_600_000 }, 'learned of it only after the deadline'],
    [{}, 'it was sent 2 times, and did not get onto the chain in time'],
  ])('%j', (changes, words) => {
    expect(whyMissed({ ...kept, ...changes })).toContain(words);
  });
});

it.each([[0, '0 s'], [59, '59 s'], [60, '1 min'], [3_661, '1 h 1 min'], [86_400, '1 d'], [90_061, '1 d 1 h'], [86_460, '1 d']])('%i seconds are %s', (seconds, text) => {
  expect(describeSeconds(seconds)).toBe(text);
});
