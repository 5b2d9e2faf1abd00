import type { ASTNode } from '@marcbachmann/cel-js';
import { compileAs, type CompileContext } from './compileContext.ts';
import { compileExpression } from './compileExpression.ts';
import { ExpressionFault, type Columns, type Scope, type Value, type ValueType } from './expressionValue.ts';
import { parseExpression } from './parseExpression.ts';

/** One operand of the `&&` at the top of an expression. */
interface Clause {
  text: string;
  evaluate: (scope: Scope) => Value;
}

/** An expression compiled for one model. */
export interface Expression {
  evaluate: (scope: Scope) => Value;
  /** Whether the value depends on the entity that the list is for. */
  readsUser: boolean;
  /** Estimated number of evaluations of parts that one evaluation takes. */
  work: number;
}

/** A filter: an item passes if the value is true. */
export interface Filter extends Expression {
  /** The parts of the filter that must all be true. */
  clauses: readonly Clause[];
}

/**
 * Compiles a filter, an expression with the type bool.
 * @throws ExpressionFault
 */
export function compileFilter(text: string, columns: Columns): Filter {
  const root = parseExpression(text);
  const { expression, context } = compileRoot(root, 'bool', columns);
  const clauses = splitClauses(root).map((node) => ({ text: node.input.slice(node.range.start, node.range.end), evaluate: compileAs('bool', node, context) }));
  return { ...expression, clauses };
}

/**
 * Compiles a boost, an expression with the type number.
 * @throws ExpressionFault
 */
export function compileBoost(text: string, columns: Columns): Expression {
  return compileRoot(parseExpression(text), 'number', columns).expression;
}

function compileRoot(root: ASTNode, type: ValueType, columns: Columns): { expression: Expression; context: CompileContext } {
  const context: CompileContext = {
    columns, compile: (node) => compileExpression(node, context), variable: null, readsUser: false, work: 0,
  };
  const compiled = context.compile(root);
  if (compiled.type !== type) throw new ExpressionFault(`its value is a ${compiled.type}, and a ${type} is needed`, 0);
  const { readsUser, work } = context;
  return { expression: { evaluate: compiled.evaluate, readsUser, work }, context };
}

function splitClauses(node: ASTNode): ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(splitClauses) : [node];
}
