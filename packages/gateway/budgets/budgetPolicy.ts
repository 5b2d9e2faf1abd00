import type { Connection } from '@vouch/platform/database/database';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import { budgetKey, defaultBudgets, type BudgetName } from './budget.ts';
import { listSetBudgets, loadSignerLists, type ListedSigner, type SetBudget } from './budgetStore.ts';
import { getAddress } from 'viem/utils';

/** The current budgets and signer lists. */
export class BudgetPolicy {
  readonly #set: ReadonlyMap<string, number>;
  readonly #denied: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;

  constructor(set: readonly SetBudget[], listed: readonly ListedSigner[]) {
    this.#set = new Map(set.map((each) => [budgetKey(each), each.gasPerDay]));
    this.#denied = new Set(listed.filter(({ list }) => list === 'deny').map(({ signer }) => signer));
    this.#allowed = new Set(listed.filter(({ list }) => list === 'allow').map(({ signer }) => signer));
  }

  /** Budget in gas per day: the subject's own budget, else the budget set for all subjects, else the default. */
  gasPerDay(name: BudgetName): number {
    return this.#set.get(budgetKey(name)) ?? this.#set.get(budgetKey({ ...name, subject: '' })) ?? defaultBudgets[name.scope][name.kind];
  }

  /**
   * Refuses signers by the lists.
   * @param signer Ethereum address in lower case
   * @throws Problem `signer-denied`
   */
  checkListed(signer: string): void {
    if (this.#denied.has(signer)) throw denied(signer, 'is on the deny list of this gateway');
    if (this.#allowed.size > 0 && !this.#allowed.has(signer)) throw denied(signer, 'is not on the allow list of this gateway');
  }
}

function denied(signer: string, why: string): Error {
  return gatewayErrors.problem('signer-denied', `${getAddress(signer)} ${why}. Send the transaction to the contract directly, or ask the operator of the gateway.`);
}

/** Cache time in ms; changes of other processes apply within this time. */
const reportedMs = 2_000;

/** Reads budgets and lists from the database and caches them for `reportedMs`. */
export class BudgetPolicies {
  readonly #connection: Connection;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  readonly #service: string;
  #kept: { at: number; policy: Promise<BudgetPolicy> } | null = null;

  constructor(connection: Connection, system: Pick<SystemInterfaces, 'elapsedMs'>, service: string) {
    this.#connection = connection;
    this.#system = system;
    this.#service = service;
  }

  /**
   * Returns the current policy.
   * @throws Problem `database-unavailable`
   */
  current(): Promise<BudgetPolicy> {
    const now = this.#system.elapsedMs();
    if (this.#kept !== null && now - this.#kept.at < reportedMs) return this.#kept.policy;
    const policy = this.#read();
    const kept = { at: now, policy };
    this.#kept = kept;
    policy.catch(() => { if (this.#kept === kept) this.#kept = null; });
    return policy;
  }

  /** Drops the cache, so that a change made by this process applies immediately. */
  forget(): void {
    this.#kept = null;
  }

  async #read(): Promise<BudgetPolicy> {
    const [set, listed] = await Promise.all([listSetBudgets(this.#connection, this.#service), loadSignerLists(this.#connection, this.#service)]);
    return new BudgetPolicy(set, listed);
  }
}
