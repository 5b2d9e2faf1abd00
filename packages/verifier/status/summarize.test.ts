import { describe, expect, it } from 'vitest';
import type { KeptAttestation, NodeState } from '../state/nodeState.ts';
import type { NodeDays } from '../rewards/fetchDays.ts';
import type { ChainView } from './chainView.ts';
import { describeStatus } from './describeStatus.ts';
import type { Status } from './status.ts';
import { summarize, whyMissed, type Known } from './summarize.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const node = `0x${'ab'.repeat(20)}` as const;
const hash = `0x${'cd'.repeat(32)}` as const;
const state: NodeState = {
  version: 1, chainId: 1, chainName: 'test', service: node, node, genesis: hash, checkpoints: [{ block: 7, hash }], startedAt: now, savedAt: now - 5_000, chainSeenAt: now,
  attestations: [], membership: { id: 1, active: true, readAt: now, activeSince: now, weight: 2, claimer: null, commissionRate: 0, missed: 0 },
  day: null, countedDay: null, online: [{ day: '2026-02-28', seconds: 86_000 }, { day: '2026-03-01', seconds: 25_000 }], lastChosenAt: now - 60_000, lastReportedAt: now - 50_000,
  counts: { announced: 9, chosen: 5, reported: 4, missed: 1, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
};
const hour = 3_600;
const begin = Date.parse('2026-03-01T00:00:00Z') / 1_000;
const credited = { index: 5, begin, end: begin + 24 * hour, creditedWeight: 2, lost: null, expected: { node: 10n ** 17n, delegators: 9n * 10n ** 17n, perLicense: 45n * 10n ** 16n } };
const before = { index: 4, begin: begin - 24 * hour, end: begin, creditedWeight: 2, lost: false, expected: null };
const days: NodeDays = { neededSeconds: 6 * hour, activeSeconds: 12 * hour, days: [credited, before] };
const uncredited = { ...credited, creditedWeight: 0, expected: null };
const untold = { ...credited, creditedWeight: null, expected: null };
const chain: ChainView = {
  active: true, weight: 2, missed: 0, earned: 3n * 10n ** 18n, claimed: 10n ** 18n, enteredAt: now / 1_000 - 90_000,
  rules: { missedReportsMax: 2 }, days, time: now / 1_000,
};
const known: Known = { found: { node, folder: '/data/node' }, chainName: 'test', state, chain, process: 77, reports: 'gateway', left: false, now };
const of = (changes: Partial<NodeState>): Known => ({ ...known, state: { ...state, ...changes } });
const withDays = (changes: Partial<NodeDays> | null): Known => ({ ...known, chain: { ...chain, days: changes === null ? null : { ...days, ...changes } } });
const inactive = { ...state.membership, active: false };
const keptDay = { index: 5, begin, end: begin + 24 * hour, creditedWeight: 0, neededSeconds: 6 * hour, readAt: now - 60_000 };
const away = 'No endpoint answers.';

describe('whether a node earns', () => {
  it.each<[string, Known, Status['earning']['verdict'], string]>([
    ['the contract credited the day', known, 'yes', 'The contract has credited day 5 to the node.'],
    ['hours reached and nobody reported', withDays({ days: [uncredited] }), 'not yet', 'the contract has not credited the day: the day must be reported before 2026-03-02T00:00:00.000Z. The gateway reports the day (its setting VOUCH_KEEPER)'],
    ['the same, and the node pays for itself', { ...withDays({ days: [uncredited] }), reports: 'itself' }, 'not yet', 'This program reports the day'],
    ['hours not reached', withDays({ activeSeconds: hour, days: [uncredited] }), 'not yet', 'needs 5 h more on day 5: 1 h of 6 h.'],
    ['hours that the day does not have any more', { ...withDays({ activeSeconds: 0, days: [{ ...uncredited, end: now / 1_000 + hour }] }) }, 'not yet', 'The day ends earlier, at 2026-03-01T13:00:00.000Z; the next day can be credited.'],
    ['a contract that does not tell credited days', withDays({ days: [untold] }), 'not known', 'the contract does not return whether a day is credited'],
    ['a contract that does not tell the hours either', withDays({ neededSeconds: null, days: [untold] }), 'not known', 'The node was active for 12 h on day 5'],
    ['a contract without days', withDays(null), 'not known', 'the contract does not return its days'],
    ['a day before that was lost', withDays({ days: [credited, { ...before, creditedWeight: 0, lost: true }] }), 'yes', 'Day 4 ended without credit'],
    ['a copy that stands by', of({ standby: { since: now, because: 'a report of another' } }), 'yes', 'this program stands by'],
    ['a missed report', { ...known, chain: { ...chain, missed: 1 } }, 'yes', 'The contract counts a missed report of this node;'],
    ['out by verifier exit', { ...known, left: true, chain: { ...chain, active: false } }, 'no', '`verifier exit` was used, and the running program does not enter again: restart verifier to enter.'],
    ['never run', { ...known, state: null, process: null, chain: { ...chain, active: false } }, 'no', 'No node has run with this key on this machine: start verifier.'],
    ['running without having saved a state', { ...known, state: null }, 'no', 'has not saved its state since its start'],
    ['active without ever having run here', { ...known, state: null, process: null }, 'no', 'it runs elsewhere'],
    ['not running', { ...known, process: null }, 'no', 'not running; its last sign of life was at 2026-03-01T11:59:55.000Z'],
    ['hanging', of({ savedAt: now - 3_600_000 }), 'no', 'has not saved its state for 1 h'],
    ['no license', { ...known, chain: { ...chain, active: false, weight: 0 } }, 'no', 'This node has no license'],
    ['not active', { ...known, chain: { ...chain, active: false } }, 'no', 'about to enter'],
    ['kept out', { ...of({ alarms: [{ code: 'cannot-enter', subject: '', sentence: 'The set is full.', since: now }] }), chain: { ...chain, active: false } }, 'no', 'The set is full.'],
    ['the chain away, the day kept as not credited', { ...of({ day: keptDay, membership: { ...state.membership, activeSince: (begin + 8 * hour) * 1_000 } }), chain: away }, 'not yet', 'needs 2 h more on day 5: 4 h of 6 h.'],
    ['the chain away, the day kept as credited', { ...of({ day: { ...keptDay, creditedWeight: 2 } }), chain: away }, 'yes', 'has credited day 5'],
    ['the chain away since the day before', { ...of({ day: { ...keptDay, end: begin } }), chain: away }, 'not known', 'the chain is not reachable'],
    ['inactive by what was kept, the chain away', { ...of({ membership: inactive }), chain: away }, 'no', 'not in the active set'],
    ['the chain never read', { ...of({ membership: { ...inactive, readAt: null } }), chain: away }, 'no', away],
  ])('%s', (_what, given, verdict, because) => {
    expect(summarize(given).earning).toEqual({ verdict, because: expect.stringContaining(because) as string });
  });

  it('sums up what credited days bring that are not settled, and says where the contract does not tell', () => {
    expect(summarize(known).rewards).toEqual({ earned: '3', claimed: '1', claimable: '2', expected: { node: '0.1', delegators: '0.9' } });
    expect(summarize(withDays({ days: [untold] })).rewards?.expected).toBe(null);
    // In the upstream contract, slashes may exceed the earned amount.
    expect(summarize({ ...known, chain: { ...chain, earned: -5n } }).rewards).toMatchObject({ earned: '-0.000000000000000005', claimable: '0' });
  });

  it('says in words what it says in JSON, and nothing that steers a terminal', () => {
    const text = describeStatus(summarize({ ...of({ alarms: [{ code: 'report-late', subject: hash, sentence: 'late\u001b[2J', since: now - 60_000 }] }), chain: 'gone\u0007' }), now);
    for (const part of ['Earning         not known. ', 'Today           not known', 'Online          6 h 56 min today (UTC), measured by the program; before: 2026-02-28 23 h 53 min', '1 min ago', 'chosen 5 times: 4 reported, 1 missed', 'late\\u{1b}[2J [report-late', 'gone\\u{7}']) expect(text).toContain(part);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

it('says of the alarms of a stopped program that they were active when the program ran', () => {
  const given = of({ alarms: [{ code: 'report-late', subject: hash, sentence: 'late', since: now - 3_600_000 }], savedAt: now - 1_800_000 });
  expect(describeStatus(summarize(given), now)).toContain('\nAlarm           late [report-late, 2026-03-01T11:00:00.000Z, 1 h ago]\n');
  expect(describeStatus(summarize({ ...given, process: null }), now)).toContain('\nLast alarm      late [report-late, 2026-03-01T11:00:00.000Z, 1 h ago; as of 2026-03-01T11:30:00.000Z, 30 min ago, when the program last ran]\n');
});

it('shows each day of the contract in a line', () => {
  const text = describeStatus(summarize(withDays({ days: [uncredited, before, { ...before, index: 3, begin: begin - 48 * hour, creditedWeight: 0, lost: true }] })), now);
  for (const line of [
    'Today           day 5, until 2026-03-02T00:00:00.000Z: active for 12 h of 6 h needed; active long enough, not credited yet', 'Day 4           2026-02-28T00:00Z  credited, weight 2',
    'Day 3           2026-02-27T00:00Z  LOST: not credited', 'Rewards         3 earned by the node, 1 claimed or slashed, 2 claimable; 0 expected from unsettled days',
  ]) expect(text.split('\n')).toContain(line);
  expect(describeStatus(summarize(known), now)).toContain('Day 5           2026-03-01T00:00Z  credited, weight 2      expected 0.1 for the node, 0.9 for its licenses\n');
  expect(describeStatus(summarize(withDays({ neededSeconds: null, days: [untold] })), now)).toContain('the contract does not return the required time; the contract does not return whether the day is credited\n');
});

describe('why a report was missed', () => {
  const kept: KeptAttestation = {
    attestationId: hash, requestId: '1', block: 5, transactionHash: hash, chosenIndex: 0, chosenBlock: 6, chosenAt: now, deadline: now / 1_000 + 1_800, halfTime: now / 1_000 + 900,
    verdict: 0, reason: 'verified', sentence: 'Every check passed.', judgedAt: now, basis: null, state: 'missed', attempts: 2, sentAt: now, reportedAt: null, sentHash: null, lastError: null,
  };
  it.each<[Partial<KeptAttestation>, string]>([
    [{ lastError: 'gateway.example refuses connections' }, 'gateway.example refuses connections'],
    [{ verdict: null, sentence: 'The TCB info ended.' }, 'no vote was possible: The TCB info ended.'],
    [{ attempts: 0 }, 'never sent: the program stopped before'],
    [{ attempts: 0, chosenAt: now + 3_600_000 }, 'learned of the attestation only after the deadline'],
    [{}, 'the report was sent 2 times, but did not reach the chain in time'],
  ])('%j', (changes, words) => {
    expect(whyMissed({ ...kept, ...changes })).toContain(words);
  });
});
