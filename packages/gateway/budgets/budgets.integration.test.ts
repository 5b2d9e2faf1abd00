import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { signMessage } from '../conformance/signMessage.ts';
import { GatewayTestServer, requiredHeaders, type Answer, type Refusal } from '../testing/gatewayTestServer.ts';
import { defaultBudgets, reservedGas } from './budget.ts';
import type { BudgetReport } from './budgetReport.ts';
import { defaultReporterBudgets } from './reporterBudget.ts';
import type { SignerLists } from './signerLists.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const admin = { apikey: 'default:admin' };
let server: GatewayTestServer;
let node: TestAccount;
let other: TestAccount;
/** A second process on the same database. */
let beside: { url: string; close(): Promise<void> };

beforeEach(async () => {
  server = await GatewayTestServer.start({ operators: 2 });
  [node, other] = server.chain.operators as [TestAccount, TestAccount];
  await server.toNextDay();
  beside = await server.startOther({});
});
afterEach(async () => {
  await beside.close();
  await server.close();
});

let sent = 0;

async function send(account: TestAccount, url = server.at.url): Promise<[status: number, reason: string | undefined]> {
  const unsigned = await server.claimerMessage(`0x${(++sent).toString(16).padStart(40, '0')}`);
  const answer = await fetch(`${url}/explorer_alphanet/send_tx_set_reward_claimer`, {
    method: 'POST', headers: { 'content-type': 'application/json', ...requiredHeaders }, body: JSON.stringify(await signMessage(unsigned, server.domain, account.privateKey)),
  });
  return [answer.status, ((await answer.json()) as Partial<Refusal>).reason];
}

const put = (path: string, body: object): Promise<Answer<BudgetReport & SignerLists & Refusal>> => server.send('PUT', path, body, admin);
const accepted = [200, undefined];

describe('budgets', () => {
  exhaustiveTest('are read and changed while the gateway runs, and every process follows', async () => {
    for (const url of [server.at.url, beside.url]) expect(await send(node, url)).toEqual(accepted);
    const { status, body } = await put('/gateway/budgets/signer', { gas: { claimer: 2 * reservedGas.claimer } });
    expect([status, body.budgets.signer]).toEqual([200, { ...defaultBudgets.signer, claimer: 2 * reservedGas.claimer }]);
    expect(await send(node)).toEqual([400, 'quota']);
    server.moveClock(2);
    expect(await send(node, beside.url)).toEqual([400, 'quota']);
    // One signer gets a separate budget; the other process applies the budget too.
    expect((await put('/gateway/budgets/signer', { subject: node.address, gas: { claimer: 3 * reservedGas.claimer } })).body).toMatchObject({
      own: [{ scope: 'signer', kind: 'claimer', gas_per_day: 3 * reservedGas.claimer }],
      most_used: [{ scope: 'signer', kind: 'claimer', reserved: 2 * reservedGas.claimer, spent: 0, left: reservedGas.claimer }],
    });
    server.moveClock(2);
    expect(await send(node, beside.url)).toEqual(accepted);
    expect(await send(node, beside.url)).toEqual([400, 'quota']);
    await put('/gateway/budgets/signer', { subject: node.address, gas: { claimer: null } });
    await put('/gateway/budgets/signer', { gas: { claimer: null } });
    server.moveClock(2);
    expect(await send(node)).toEqual(accepted);
    const read = await server.send<BudgetReport>('GET', '/gateway/budgets', undefined, admin);
    expect(read.body.own).toEqual([]);
    expect(read.body.budgets).toEqual(defaultBudgets);
    expect(read.body.total.find(({ kind }) => kind === 'claimer')).toMatchObject({ subject: null, reserved: 4 * reservedGas.claimer, left: defaultBudgets.total.claimer - 4 * reservedGas.claimer });
    expect(read.body.most_used.map(({ scope, kind }) => [scope, kind])).toEqual([['license', 'claimer'], ['signer', 'claimer']]);
    expect((await server.send<BudgetReport>('GET', `/gateway/budgets?license=${read.body.most_used[0]!.subject}`, undefined, admin)).body.most_used).toHaveLength(1);
    expect((await server.send<BudgetReport>('GET', '/gateway/budgets?day=2001-01-01', undefined, admin)).body).toMatchObject({ day: '2001-01-01', most_used: [] });
  });

  it('of a license end what it pays, whoever it backs', async () => {
    await put('/gateway/budgets/license', { subject: '1', gas: { claimer: 0 } });
    expect([await send(node), await send(other)]).toEqual([[400, 'quota'], accepted]);
  });

  it('are refused where they make no sense, and to keys that are not of an admin', async () => {
    for (const [path, body] of [
      ['signer', { gas: {} }], ['signer', { gas: { claimer: -1 } }], ['signer', { gas: { claimers: 1 } }], ['everybody', { gas: { claimer: 1 } }],
      ['signer', { subject: '17', gas: { claimer: 1 } }], ['license', { subject: node.address, gas: { claimer: 1 } }], ['total', { subject: '17', gas: { claimer: 1 } }],
      ['keeper', { gas: { claimer: 1 } }], ['signer', { gas: { activity: 1 } }],
    ] as const) expect([path, body, (await put(`/gateway/budgets/${path}`, body)).status]).toEqual([path, body, 422]);
    expect((await server.send('GET', '/gateway/budgets', undefined, { apikey: 'acme:data:read' })).status).toBe(403);
    expect((await server.send('PUT', '/gateway/budgets/total', { gas: { claimer: 1 } })).status).toBe(401);
  });

  it('are shown to whoever asks, in the metrics and by doctor', async () => {
    await put('/gateway/budgets/total', { gas: { claimer: 99_000 } });
    expect((await put('/gateway/budgets/keeper', { gas: { activity: 5 } })).body.keeper).toEqual([
      { kind: 'activity', gas_per_day: 5, spent: 0, reserved: 0, left: 5 },
      ...(['randomness', 'conclusion'] as const).map((kind) => ({ kind, gas_per_day: defaultReporterBudgets[kind], spent: 0, reserved: 0, left: defaultReporterBudgets[kind] })),
    ]);
    expect([await send(node), await send(other)]).toEqual([accepted, [400, 'quota']]);
    const info = await server.send<{ budgets: Record<string, Record<string, number>> }>('GET', '/gateway/info');
    expect(info.body.budgets).toMatchObject({ signer: defaultBudgets.signer, total: { claimer: 99_000 }, left: { claimer: 9_000, report: defaultBudgets.total.report } });
    const metrics = await server.metrics.metrics();
    for (const line of [
      'vouch_gateway_budget_gas{kind="activity",state="left"} 5', 'vouch_gateway_budget_gas{kind="claimer",state="reserved"} 90000', 'vouch_gateway_budget_gas{kind="claimer",state="left"} 9000',
      'vouch_gateway_budget_refusals_total{scope="total",kind="claimer"} 1', 'vouch_gateway_messages_total{kind="claimer",outcome="quota"} 1',
    ]) expect(metrics).toContain(line);
    // The same signer is refused again, this time from memory.
    expect(await send(other)).toEqual([400, 'quota']);
    expect(await server.metrics.metrics()).toContain('vouch_gateway_budget_refusals_total{scope="total",kind="claimer"} 2');
    await put(`/gateway/signers/deny/${other.address}`, {});
    const check = server.parts.checks.find(({ name }) => name === 'gateway budgets')!;
    const [all, warning] = await check.run();
    expect(all!.detail).toMatch(/^90000 of \d+ gas is used today; 1 signer is on the deny list$/);
    expect(warning).toMatchObject({ status: 'warning', detail: expect.stringContaining("90000 of today's 99000 gas for claimer") as string });
  });
});

describe('lists of signers', () => {
  it('refuse who is denied, and everybody else where some are allowed, in every process', async () => {
    expect((await put(`/gateway/signers/deny/${node.address}`, { note: 'toggles' })).body.deny).toMatchObject([{ note: 'toggles' }]);
    expect([await send(node), await send(other)]).toEqual([[400, 'signer-denied'], accepted]);
    await put(`/gateway/signers/allow/${node.address}`, {});
    server.moveClock(2);
    expect([await send(node, beside.url), await send(other, beside.url)]).toEqual([[400, 'signer-denied'], [400, 'signer-denied']]);
    expect((await server.send<SignerLists>('DELETE', `/gateway/signers/deny/${node.address}`, undefined, admin)).body.deny).toEqual([]);
    expect([await send(node), await send(other)]).toEqual([accepted, [400, 'signer-denied']]);
    await server.send('DELETE', `/gateway/signers/allow/${node.address}`, undefined, admin);
    expect(await send(other)).toEqual(accepted);
    expect((await server.send<SignerLists>('GET', '/gateway/signers', undefined, admin)).body).toEqual({ allow: [], deny: [] });
  });
});
