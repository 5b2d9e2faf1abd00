import type { OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { BudgetName, BudgetScope } from './budget.ts';
import type { ReporterKind } from './reporterBudget.ts';

/** A stored budget, which overrides the default. */
export interface SetBudget extends BudgetName {
  gasPerDay: number;
  changedAt: Date;
}

/** Names of the signer lists. */
export const signerLists = ['allow', 'deny'] as const;
export type SignerList = (typeof signerLists)[number];

/** A signer on a list. */
export interface ListedSigner {
  list: SignerList;
  /** Ethereum address in lower case. */
  signer: string;
  note: string | null;
  changedAt: Date;
}

/**
 * Name that scopes budgets and lists. Without a genesis hash, so that they survive the reset of a local chain.
 * @example
 * serviceName(31_337n, '0xAbC…'); // '31337:0xabc…'
 */
export function serviceName(chainId: bigint, contract: string): string {
  return `${chainId}:${contract.toLowerCase()}`;
}

/** Reads every stored message budget, ordered by scope, subject and kind. */
export async function listSetBudgets(connection: Connection, service: string): Promise<SetBudget[]> {
  const { rows } = await connection.query<{ scope: BudgetScope; subject: string; kind: OperationKind; gas_per_day: string; changed_at: Date }>(
    `select scope, subject, kind, gas_per_day, changed_at from gateway_budgets where service = $1 and scope <> 'keeper' order by scope, subject, kind`, [service]);
  return rows.map(({ gas_per_day: gas, changed_at: changedAt, ...name }) => ({ ...name, gasPerDay: Number(gas), changedAt }));
}

/**
 * Sets budgets by kind, for a scope and subject or for the activity reporter (scope `keeper`); null restores the default of a
 * kind.
 */
export async function setBudgets(
  connection: Connection, service: string, { scope, subject }: { scope: BudgetScope | 'keeper'; subject: string },
  gas: Readonly<Partial<Record<OperationKind | ReporterKind, number | null>>>, at: Date,
): Promise<void> {
  const kinds = Object.keys(gas) as (OperationKind | ReporterKind)[];
  await connection.query(
    `with given as (select kind, gas from unnest($4::text[], $5::bigint[]) as given (kind, gas)),
       removed as (delete from gateway_budgets b using given where b.service = $1 and b.scope = $2 and b.subject = $3 and b.kind = given.kind and given.gas is null)
     insert into gateway_budgets (service, scope, subject, kind, gas_per_day, changed_at)
     select $1, $2, $3, kind, gas, $6 from given where gas is not null
     on conflict (service, scope, subject, kind) do update set gas_per_day = excluded.gas_per_day, changed_at = excluded.changed_at`,
    [service, scope, subject, kinds, kinds.map((kind) => gas[kind] ?? null), at]);
}

/** Reads both lists, oldest entries first. */
export async function loadSignerLists(connection: Connection, service: string): Promise<ListedSigner[]> {
  const { rows } = await connection.query<{ list: SignerList; signer: string; note: string | null; changed_at: Date }>(
    'select list, signer, note, changed_at from gateway_listed_signers where service = $1 order by changed_at, signer', [service]);
  return rows.map(({ changed_at: changedAt, ...entry }) => ({ ...entry, changedAt }));
}

/**
 * Adds a signer to a list, or changes the note of an entry.
 * @example
 * await listSigner(database, service, { list: 'deny', signer, note: null, changedAt: new Date() });
 */
export async function listSigner(connection: Connection, service: string, { list, signer, note, changedAt }: ListedSigner): Promise<void> {
  await connection.query(
    `insert into gateway_listed_signers (service, list, signer, note, changed_at) values ($1, $2, $3, $4, $5)
     on conflict (service, list, signer) do update set note = excluded.note, changed_at = excluded.changed_at`,
    [service, list, signer, note, changedAt]);
}

/**
 * Removes a signer from a list.
 * @returns false if the signer was not on the list
 */
export async function unlistSigner(connection: Connection, service: string, list: SignerList, signer: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from gateway_listed_signers where service = $1 and list = $2 and signer = $3', [service, list, signer]);
  return rowCount === 1;
}
