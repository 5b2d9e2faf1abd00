import type { OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { admitClaims, quotaProblem } from '../../budgets/admitClaims.ts';
import { budgetKey, budgetsOf, reservedGas, utcDay, type BudgetName, type GasClaim } from '../../budgets/budget.ts';
import type { BudgetPolicies, BudgetPolicy } from '../../budgets/budgetPolicy.ts';
import { reserveGas } from '../../budgets/spendingStore.ts';
import type { NewRequest } from '../../requests/requestStore.ts';
import { toHex } from '../../requests/storedOperation.ts';

/**
 * Time in ms for which a refusal is answered from memory: a flood costs no transaction per message, and a raised budget
 * applies soon.
 */
const refusalKeptMs = 2_000;
/** Maximum number of refusals in memory. */
const maxRefusals = 10_000;

/** Reserves gas in budgets, in the same transactions that store the messages. */
export class SpendingLedger {
  readonly #policies: BudgetPolicies;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  readonly #noteRefusal: (scope: string, kind: OperationKind) => void;
  readonly #refusals = new Map<string, { untilMs: number; refusal: Error; scope: string }>();

  /** @param noteRefusal called for each message that exceeds a budget */
  constructor(policies: BudgetPolicies, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>, noteRefusal: (scope: string, kind: OperationKind) => void) {
    this.#policies = policies;
    this.#system = system;
    this.#noteRefusal = noteRefusal;
  }

  /**
   * Refuses a message if the same signer and kind was refused less than `refusalKeptMs` ago.
   * @throws Problem `quota`
   */
  check(signer: string, kind: OperationKind): void {
    const known = this.#refusals.get(`${signer} ${kind}`);
    if (known === undefined || this.#system.elapsedMs() >= known.untilMs) return;
    this.#noteRefusal(known.scope, kind);
    throw known.refusal;
  }

  /**
   * Starts a reservation with the current budgets, for one transaction.
   * @throws Problem `database-unavailable`
   */
  async begin(): Promise<Reservation> {
    const { clock, elapsedMs } = this.#system;
    return new Reservation(await this.#policies.current(), clock.now(), (claim, scope, refusal) => {
      if (this.#refusals.size >= maxRefusals) this.#refusals.clear();
      this.#refusals.set(`${claim.signer} ${claim.kind}`, { untilMs: elapsedMs() + refusalKeptMs, refusal, scope });
      this.#noteRefusal(scope, claim.kind);
    });
  }
}

/** The gas that one transaction reserves, all on one UTC day. */
export class Reservation {
  readonly day: string;
  readonly #policy: BudgetPolicy;
  readonly #now: number;
  readonly #noteRefusal: (claim: GasClaim, scope: string, refusal: Error) => void;

  constructor(policy: BudgetPolicy, now: number, noteRefusal: (claim: GasClaim, scope: string, refusal: Error) => void) {
    this.day = utcDay(now);
    this.#policy = policy;
    this.#now = now;
    this.#noteRefusal = noteRefusal;
  }

  /** Returns every budget that the messages use, with its limit in gas per day. */
  budgetsOf(requests: readonly NewRequest[]): (BudgetName & { gasPerDay: number })[] {
    const named = new Map<string, BudgetName>();
    for (const claim of requests.map(claimOf)) {
      if (claim !== null) for (const name of budgetsOf(claim)) named.set(budgetKey(name), name);
    }
    return [...named.values()].map((name) => ({ ...name, gasPerDay: this.#policy.gasPerDay(name) }));
  }

  /**
   * Reserves gas for as many messages as fit, in the given order. The counters' rows stay locked until the transaction ends.
   * @returns for each message null, or the refusal if the message exceeds a budget
   */
  async take(transaction: Connection, deployment: string, requests: readonly NewRequest[]): Promise<(Error | null)[]> {
    const claims = requests.map(claimOf);
    const asked = claims.filter((claim) => claim !== null);
    if (asked.length === 0) return claims.map(() => null);
    const before = await reserveGas(transaction, deployment, this.day, asked);
    const shortages = admitClaims(asked, before, (budget) => this.#policy.gasPerDay(budget));
    const without = asked.filter((_, at) => shortages[at] !== null);
    if (without.length > 0) await reserveGas(transaction, deployment, this.day, without, -1);
    let next = 0;
    return claims.map((claim) => {
      const shortage = claim === null ? null : shortages[next++] ?? null;
      if (claim === null || shortage === null) return null;
      const refusal = quotaProblem(shortage, this.#now);
      this.#noteRefusal(claim, shortage.budget.scope, refusal);
      return refusal;
    });
  }

  /** Releases gas that the same transaction reserved. */
  async giveBack(transaction: Connection, deployment: string, requests: readonly NewRequest[]): Promise<void> {
    const claims = requests.map(claimOf).filter((claim) => claim !== null);
    if (claims.length > 0) await reserveGas(transaction, deployment, this.day, claims, -1);
  }
}

/** Null if the message needs no transaction. */
function claimOf({ operation: { kind }, signer, license = null, unchanged }: NewRequest): GasClaim | null {
  return unchanged === null ? { kind, signer: toHex(signer), license, gas: reservedGas[kind] } : null;
}
