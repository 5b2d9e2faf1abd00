import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import type { Rule, RuleFault } from '../../rules/inForce/rule.ts';
import { expressionsOf } from './compiledExpressions.ts';
import { DividedFilter, divideParts, type DividedParts } from './dividedParts.ts';
import { findEmptying, numbersOf, type ItemNumbers } from './findEmptying.ts';
import { nobody } from './nobody.ts';
import { compileBoost, compileFilter, type Clause, type Expression, type Filter } from '../../expressions/expression.ts';
import { ExpressionFault, type Scope } from '../../expressions/expressionValue.ts';

/** The parts of a rule that a list needs. */
export type RuleTexts = Pick<Rule, 'name' | 'filter' | 'boost'>;

/** A rule compiled for one model. */
interface CompiledRule {
  name: string;
  filter: Filter | null;
  boost: Expression | null;
}

/** Maximum estimated number of evaluations of parts of rules per list, about a tenth of a second. */
const listWork = 5_000_000;
const testedItems = 1_000;
/** Range of the product of all boosts. */
const largestBoost = 1000;

/**
 * The rules that apply to the lists of one model. An item passes if it passes the filter of each rule; its score is multiplied by each boost. What does not
 * depend on the user is evaluated once per item and kept, so that further rules cost a list almost nothing.
 */
export class RuleSet {
  readonly names: readonly string[];
  readonly hasFilter: boolean;
  readonly hasBoost: boolean;
  readonly readsUser: boolean;
  /** Names of rules that lists do without, each with the reason. */
  readonly misfits: ReadonlyMap<string, string>;
  /** Whether the rules took too long for a list, so that further items were left out or not boosted. */
  isTooExpensive = false;
  private readonly rules: readonly CompiledRule[];
  /** The clauses of all filters. */
  private readonly filters: DividedFilter;
  private readonly boosts: DividedParts;
  /** By item: 0 if not evaluated, otherwise 1 + the product of the boosts without a user. */
  private readonly products: Float64Array;
  private readonly maxWork: number;
  private readonly model: ItemNumbers;
  private work = 0;

  constructor(rules: readonly CompiledRule[], misfits: ReadonlyMap<string, string>, { model, maxWork }: { model: ItemNumbers; maxWork: number }) {
    const { items } = model.facts;
    this.maxWork = maxWork;
    this.model = model;
    this.rules = rules;
    this.misfits = misfits;
    this.names = rules.map(({ name }) => name);
    this.filters = new DividedFilter(rules.flatMap(({ filter }) => filter?.clauses ?? []), items);
    this.boosts = divideParts(rules.map(({ boost }) => boost).filter((boost) => boost !== null));
    this.hasFilter = rules.some(({ filter }) => filter !== null);
    this.hasBoost = rules.some(({ boost }) => boost !== null);
    this.readsUser = this.filters.readsUser || this.boosts.ofUser.length > 0;
    this.products = new Float64Array(this.boosts.ofItem.length === 0 ? 0 : items);
  }

  /** Starts a list. */
  begin(): void {
    this.work = 0;
  }

  /** Whether items are tested one by one. */
  get isExpensive(): boolean {
    return this.filters.isExpensive;
  }

  /** Keeps the places whose items pass the filter of each rule, as `DividedFilter` does. After too much work, no further item passes. */
  keepPassing(items: Int32Array, places: Int32Array, count: number, scope: Scope): number {
    return this.filters.keepPassing(items, places, count, scope, this.budget);
  }

  /** The product of the boosts for the item of the scope, from 0 to 1000; a boost without a value counts 1, as do all boosts after too much work. */
  factor(scope: Scope): number {
    const { ofItem, ofUser, workOfItem, workOfUser } = this.boosts;
    let product = 1;
    if (ofItem.length > 0) {
      const known = this.products[scope.item] ?? 0;
      if (known > 0) product = known - 1;
      else if (this.budget(workOfItem, 1) === 1) {
        product = productOf(ofItem, scope);
        this.products[scope.item] = 1 + product;
      }
    }
    return ofUser.length === 0 || this.budget(workOfUser, 1) === 0 ? product : clamp(product * productOf(ofUser, scope));
  }

  /** The clauses of the filters that are not true for the item of the scope, by rule. */
  *failedClauses(scope: Scope): Generator<{ rule: string; clause: Clause }> {
    for (const { name, filter } of this.rules) {
      for (const clause of filter?.clauses ?? []) if (clause.evaluate(scope) !== true) yield { rule: name, clause };
    }
  }

  /** The rules, each without the clauses that are not true for the item of the scope. */
  passedBy(scope: Scope): RuleTexts[] {
    return this.rules.map(({ name, filter, boost }) => ({ name, filter: passedClauses(filter, scope) ?? null, boost: boost?.text ?? null }));
  }

  /** The factor of each rule with a boost, for the item of the scope. */
  factors(scope: Scope): { rule: string; boost: number }[] {
    return this.rules.flatMap(({ name, boost }) => (boost === null ? [] : [{ rule: name, boost: productOf([boost], scope) }]));
  }

  /** Why lists do without a rule or without its boost, or are all empty with it; null if they follow it. */
  faultOf(name: string): RuleFault | null {
    const misfit = this.misfits.get(name);
    if (misfit !== undefined) return { detail: misfit };
    const empties = findEmptying(this.model, this.rules.find((rule) => rule.name === name)?.filter?.clauses ?? []);
    if (empties !== null) return { detail: empties, isFollowed: true };
    const without = this.itemsWithoutBoost(name);
    const idle = `the boost has no value for any of ${without} items, because of a division by 0 or of columns without values, so it changes no score`;
    return without === 0 ? null : { detail: idle };
  }

  /** Number of items, up to 1,000 and evenly spread, of which none has a value of the rule's boost; 0 if one has, or if the boost depends on the user. */
  private itemsWithoutBoost(name: string): number {
    const boost = this.rules.find((rule) => rule.name === name)?.boost ?? null;
    if (boost === null || boost.readsUser) return 0;
    const step = Math.ceil(this.model.facts.items / testedItems);
    let tested = 0;
    let at = 0;
    for (const item of numbersOf(this.model)) {
      at += 1;
      if ((at - 1) % step > 0) continue;
      if (boost.evaluate({ item, user: nobody, element: undefined }) !== undefined) return 0;
      tested += 1;
    }
    return tested;
  }

  private readonly budget = (work: number, items: number): number => {
    const allowed = Math.max(0, Math.min(items, Math.floor((this.maxWork - this.work) / work)));
    this.work += work * items;
    if (allowed < items) this.isTooExpensive = true;
    return allowed;
  };
}

/**
 * Compiles rules for a model. A rule whose filter or boost does not fit the columns of the model is left out.
 * @param maxWork estimated number of evaluations of parts after which a list ends
 */
export function compileRules(model: ModelReader, rules: readonly RuleTexts[], maxWork = listWork): RuleSet {
  const { columns } = expressionsOf(model);
  const compiled: CompiledRule[] = [];
  const misfits = new Map<string, string>();
  for (const { name, filter, boost } of rules) {
    let part: 'filter' | 'boost' = 'filter';
    try {
      const compiledFilter = filter === null ? null : compileFilter(filter, columns);
      part = 'boost';
      compiled.push({ name, filter: compiledFilter, boost: boost === null ? null : compileBoost(boost, columns) });
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error;
      misfits.set(name, `the ${part} does not fit the model: at character ${error.position + 1}, ${error.message}`);
    }
  }
  return new RuleSet(compiled, misfits, { model, maxWork });
}

interface CachedSet {
  set: RuleSet;
  generation: number;
}

const compiledSets = new WeakMap<ModelReader, WeakMap<readonly RuleTexts[], CachedSet>>();

/** The compiled rules of a model, kept as long as the array of the rules. */
export function ruleSetOf(model: ModelReader, rules: readonly RuleTexts[]): RuleSet {
  const sets = compiledSets.get(model) ?? new WeakMap<readonly RuleTexts[], CachedSet>();
  compiledSets.set(model, sets);
  const { columns } = expressionsOf(model);
  const known = sets.get(rules);
  if (known !== undefined && known.generation === columns.generation) return known.set;
  const set = compileRules(model, rules);
  sets.set(rules, { set, generation: columns.generation });
  return set;
}

/** The clauses of a filter that are true, as one filter; undefined if there is none. */
export function passedClauses(filter: Pick<Filter, 'clauses'> | null, scope: Scope): string | undefined {
  const passed = (filter?.clauses ?? []).filter(({ evaluate }) => evaluate(scope) === true);
  return passed.length === 0 ? undefined : passed.map(({ text }) => `(${text})`).join(' && ');
}

function productOf(boosts: readonly Expression[], scope: Scope): number {
  let product = 1;
  for (const { evaluate } of boosts) {
    const value = evaluate(scope);
    if (typeof value === 'number') product = clamp(product * clamp(value));
  }
  return product;
}

const clamp = (factor: number): number => Math.min(largestBoost, Math.max(0, factor));
