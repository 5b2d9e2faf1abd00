import type { OperationKind } from '@vouch/chain/messages/operation';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Connection } from '@vouch/platform/database/database';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import { messageKinds } from '../intake/wire/paths.ts';
import { budgetKey, budgetScopes, defaultBudgets, nextDayMs, utcDay, type BudgetName, type BudgetScope } from './budget.ts';
import { BudgetPolicy } from './budgetPolicy.ts';
import { listSetBudgets, setBudgets } from './budgetStore.ts';
import { reporterKinds, loadReporterBudgets, loadReporterUsage, type ReporterKind } from './reporterBudget.ts';
import { loadUsages, type Usage } from './spendingStore.ts';

const kind = Type.Enum(Object.keys(defaultBudgets.total) as OperationKind[], { description: 'Kind of message.' });
const gas = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const BudgetUse = Type.Object({
  scope: Type.Enum([...budgetScopes], { description: '`signer`, `license` or `total`.' }),
  subject: Type.Union([Type.String(), Type.Null()], { description: 'Ethereum address of the signer or number of the license; null for the total.' }),
  kind,
  gas_per_day: gas,
  spent: Type.Integer({ description: 'Gas in the receipts of confirmed transactions.' }),
  reserved: Type.Integer({ description: 'Gas reserved for pending messages.' }),
  left: Type.Integer(),
}, { title: 'BudgetUse' });
type BudgetUse = Static<typeof BudgetUse>;

const ReporterUse = Type.Object({
  kind: Type.Enum([...reporterKinds], { description: '`activity` reports days of nodes, `randomness` requests random words again, `conclusion` records how attestations ended.' }),
  gas_per_day: gas,
  spent: Type.Integer({ description: 'Gas in the receipts.' }),
  reserved: Type.Integer({ description: 'Maximum gas of pending transactions.' }),
  left: Type.Integer(),
}, { title: 'MaintenanceBudgetUse' });
export type ReporterUse = Static<typeof ReporterUse>;

/** Gas by kind of message. */
export const GasByKind = Type.Object(Object.fromEntries(messageKinds.map((each) => [each, gas])) as Record<OperationKind, typeof gas>, { title: 'GasByKind' });

const exampleUse = { gas_per_day: 4_000_000, spent: 61_204, reserved: 0, left: 3_938_796 };
const exampleGas = { enter: 600_000, exit: 300_000, commission: 240_000, claimer: 240_000, report: 4_000_000 };
const budgetsExample = {
  day: '2026-03-02', ends_at: '2026-03-03T00:00:00.000Z', budgets: { signer: exampleGas, license: exampleGas, total: exampleGas }, own: [],
  total: [{ scope: 'total', subject: null, kind: 'report', ...exampleUse }],
  most_used: [{ scope: 'signer', subject: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', kind: 'report', ...exampleUse }],
  keeper: [{ kind: 'activity', ...exampleUse }],
};

/** Budgets of a deployment and their usage on one day. */
export const BudgetReport = Type.Object({
  day: Type.String({ format: 'date', description: 'UTC.' }),
  ends_at: Type.String({ format: 'date-time' }),
  budgets: Type.Object({ signer: GasByKind, license: GasByKind, total: GasByKind }, {
    description: 'Gas per day for each signer or license without a budget of its own.',
  }),
  own: Type.Array(Type.Object({ scope: Type.String(), subject: Type.String(), kind, gas_per_day: gas, changed_at: Type.String({ format: 'date-time' }) }), {
    description: 'Budgets of individual signers and licenses.',
  }),
  total: Type.Array(BudgetUse, { description: 'Gas used by all messages together, by kind.' }),
  most_used: Type.Array(BudgetUse, { description: 'The signers and licenses that used the most gas, or the requested ones.' }),
  keeper: Type.Array(ReporterUse, { description: 'Gas of maintenance transactions, which the gateway sends for nodes without a message.' }),
}, { title: 'Budgets', examples: [budgetsExample] });
export type BudgetReport = Static<typeof BudgetReport>;

/** Deployment and day of a report. */
export interface ReportQuestion {
  /** `<chain id>:<contract>` */
  service: string;
  /** Deployment name, or `<service>:` if the chain was never reached, which selects all rows of the service. */
  deployment: string;
  /** Milliseconds since 1970. */
  now: number;
  /** UTC day such as `2026-11-22`; today if absent. */
  day?: string | undefined;
}

/** The part of a report that concerns all signers together; readable without an API key. */
export type TotalReport = Pick<BudgetReport, 'day' | 'ends_at' | 'budgets' | 'total'>;

/** Maximum number of subjects in a report. */
const maxSubjects = 100;

/** Reports the budgets and the remaining totals. */
export async function reportTotals(connection: Connection, question: ReportQuestion): Promise<TotalReport> {
  return describeTotals(connection, question, new BudgetPolicy(await listSetBudgets(connection, question.service), []));
}

async function describeTotals(connection: Connection, { deployment, now, day = utcDay(now) }: ReportQuestion, policy: BudgetPolicy): Promise<TotalReport> {
  const totals = await loadUsages(connection, deployment, day, { scopes: ['total'], subject: '', most: messageKinds.length });
  const used = new Map(totals.map((each) => [budgetKey(each.name), each.usage]));
  return {
    day,
    ends_at: new Date(nextDayMs(Date.parse(day))).toISOString(),
    budgets: { signer: budgetsOfAll(policy, 'signer'), license: budgetsOfAll(policy, 'license'), total: budgetsOfAll(policy, 'total') },
    total: messageKinds.map((each) => {
      const name = { scope: 'total', subject: '', kind: each } as const;
      return describeUse(policy, name, used.get(budgetKey(name)) ?? { spent: 0, reserved: 0 });
    }),
  };
}

/**
 * Reports all budgets and usage, for the operator of the gateway.
 * @param subject a signer or license; null for the subjects with the highest usage
 * @example
 * const report = await reportBudgets(database, { service, deployment: `${service}:`, now }, null);
 */
export async function reportBudgets(connection: Connection, question: ReportQuestion, subject: string | null): Promise<BudgetReport> {
  const { service, deployment, now, day = utcDay(now) } = question;
  const set = await listSetBudgets(connection, service);
  const policy = new BudgetPolicy(set, []);
  const subjects = await loadUsages(connection, deployment, day, { scopes: ['signer', 'license'], subject, most: maxSubjects });
  return {
    ...(await describeTotals(connection, question, policy)),
    own: set.filter((each) => each.subject !== '').map(({ scope, subject: of, kind: each, gasPerDay, changedAt }) => ({
      scope, subject: scope === 'signer' ? getAddress(of) : of, kind: each, gas_per_day: gasPerDay, changed_at: changedAt.toISOString(),
    })),
    most_used: subjects.map(({ name, usage }) => describeUse(policy, name, usage)),
    keeper: await reportReporterBudgets(connection, question),
  };
}

/** Reports the activity reporter's budgets and usage. */
export async function reportReporterBudgets(connection: Connection, { service, deployment, now, day = utcDay(now) }: ReportQuestion): Promise<ReporterUse[]> {
  const budgets = await loadReporterBudgets(connection, service);
  const usage = await loadReporterUsage(connection, deployment, day);
  return reporterKinds.map((kind) => {
    const { spent, reserved } = usage[kind];
    return { kind, gas_per_day: budgets[kind], spent, reserved, left: Math.max(0, budgets[kind] - spent - reserved) };
  });
}

function describeUse(policy: BudgetPolicy, name: BudgetName, { spent, reserved }: Usage): BudgetUse {
  const perDay = policy.gasPerDay(name);
  const subject = name.scope === 'signer' ? getAddress(name.subject) : name.subject === '' ? null : name.subject;
  return { ...name, subject, gas_per_day: perDay, spent, reserved, left: Math.max(0, perDay - spent - reserved) };
}

/** Gas per day by kind for subjects without their own budget. */
function budgetsOfAll(policy: BudgetPolicy, scope: BudgetScope): Record<OperationKind, number> {
  return Object.fromEntries(messageKinds.map((each) => [each, policy.gasPerDay({ scope, subject: '', kind: each })])) as Record<OperationKind, number>;
}

/** Body of a budget change, for HTTP and the command line. */
export const BudgetChange = Type.Object({
  subject: Type.Optional(Type.String({ maxLength: 80, description: 'Ethereum address of a signer or number of a license. Default: all of the scope.' })),
  gas: Type.Object(Object.fromEntries(messageKinds.map((each) => [each, Type.Optional(Type.Union([gas, Type.Null()]))])) as Record<OperationKind, ReturnType<typeof optionalGas>>, {
    additionalProperties: false, minProperties: 1, description: 'Gas per day by kind of message; null restores the default.',
  }),
}, { title: 'BudgetChangeRequest', additionalProperties: false });
export type BudgetChange = Static<typeof BudgetChange>;

/** Body of a change of the activity reporter's budgets. */
export const ReporterBudgetChange = Type.Object({
  gas: Type.Object(Object.fromEntries(reporterKinds.map((each) => [each, Type.Optional(Type.Union([gas, Type.Null()]))])) as Record<ReporterKind, ReturnType<typeof optionalGas>>, {
    additionalProperties: false, minProperties: 1, description: 'Gas per day by kind of maintenance transaction; null restores the default.',
  }),
}, { title: 'MaintenanceBudgetChangeRequest', additionalProperties: false });
export type ReporterBudgetChange = Static<typeof ReporterBudgetChange>;

/** Changes the activity reporter's budgets; applies from its next transaction. */
export async function changeReporterBudgets(connection: Connection, service: string, { gas: wanted }: ReporterBudgetChange, at: Date): Promise<void> {
  await setBudgets(connection, service, { scope: 'keeper', subject: '' }, wanted, at);
}

function optionalGas() {
  return Type.Optional(Type.Union([gas, Type.Null()]));
}

/**
 * Changes budgets; every process applies the change within two seconds.
 * @throws Problem `invalid-parameter` if the subject does not fit the scope
 * @example
 * await changeBudgets(database, service, 'total', { gas: { report: 2_000_000_000, exit: null } }, new Date());
 */
export async function changeBudgets(connection: Connection, service: string, scope: BudgetScope, { subject = '', gas: wanted }: BudgetChange, at: Date): Promise<void> {
  await setBudgets(connection, service, { scope, subject: parseSubject(scope, subject) }, wanted, at);
}

/**
 * Normalizes a subject to the form of its counters.
 * @throws Problem `invalid-parameter`
 */
export function parseSubject(scope: BudgetScope, subject: string): string {
  const allowed = { signer: /^(0x[0-9a-f]{40})?$/, license: /^([1-9][0-9]{0,77}|unknown)?$/, total: /^$/ }[scope];
  const text = subject.toLowerCase();
  if (allowed.test(text)) return text;
  const may = { signer: 'an Ethereum address: 0x and 40 hex digits', license: 'the number of a license, or unknown', total: 'omitted, because the total has no subject' }[scope];
  const detail = `The subject is ${JSON.stringify(subject)}; for the scope ${scope} it must be ${may}.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: '/subject', detail, value: subject }] });
}
