import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { compileBoost, compileFilter, type Expression, type Filter } from '../../expressions/expression.ts';
import { orProblem } from '../../expressions/expressionProblem.ts';
import { DividedFilter } from './dividedParts.ts';
import { findEmptying } from './findEmptying.ts';
import { ModelColumns } from './modelColumns.ts';

/** Maximum number of compiled expressions per model; each filter may keep one byte per item. */
const maxExpressions = 32;

/** A filter of a model: an item passes if all clauses are true. */
export interface ModelFilter extends Filter {
  divided: DividedFilter;
  /** Words for the part that is true for no item, as of `findEmptying`; searched once. */
  empties(): string | null;
}

/** The compiled expressions of one model, so that a repeated expression is neither compiled nor evaluated again. */
export class CompiledExpressions {
  readonly columns: ModelColumns;
  private readonly model: ModelReader;
  private readonly filters = new Map<string, ModelFilter>();
  private readonly boosts = new Map<string, Expression>();
  private generation = 0;

  constructor(model: ModelReader) {
    this.columns = new ModelColumns(model);
    this.model = model;
  }

  /** @throws Problem invalid-expression */
  filter(text: string): ModelFilter {
    return this.cached(this.filters, text, () => {
      const filter = orProblem('filter', text, () => compileFilter(text, this.columns));
      let empties: string | null | undefined;
      return {
        ...filter, divided: new DividedFilter(filter.clauses, this.model.facts.items),
        empties: () => (empties === undefined ? (empties = findEmptying(this.model, filter.clauses)) : empties),
      };
    });
  }

  /** @throws Problem invalid-expression */
  boost(text: string): Expression {
    return this.cached(this.boosts, text, () => orProblem('boost', text, () => compileBoost(text, this.columns)));
  }

  private cached<Compiled>(cache: Map<string, Compiled>, text: string, compile: () => Compiled): Compiled {
    if (this.generation !== this.columns.generation) this.forget();
    const known = cache.get(text);
    const compiled = known ?? compile();
    // The least recently used expression is the first of the map.
    cache.delete(text);
    cache.set(text, compiled);
    const [oldest] = cache.keys();
    if (cache.size > maxExpressions && oldest !== undefined) cache.delete(oldest);
    return compiled;
  }

  private forget(): void {
    this.filters.clear();
    this.boosts.clear();
    this.generation = this.columns.generation;
  }
}

const ofModels = new WeakMap<ModelReader, CompiledExpressions>();

/** Returns the compiled expressions of an open model. */
export function expressionsOf(model: ModelReader): CompiledExpressions {
  let expressions = ofModels.get(model);
  if (expressions === undefined) {
    expressions = new CompiledExpressions(model);
    ofModels.set(model, expressions);
  }
  return expressions;
}
