import type { ASTNode } from '@marcbachmann/cel-js';
import type { CompileContext } from './compileContext.ts';
import { columnPath } from './compileColumn.ts';
import { compileExpression } from './compileExpression.ts';
import { ExpressionFault, type Columns, type Scope, type Value, type ValueType } from './expressionValue.ts';
import { parseExpression } from './parseExpression.ts';
import { splitConjunction } from './splitConjunction.ts';

/** An expression compiled for one model. */
export interface Expression {
  /** The expression as written. */
  text: string;
  evaluate: (scope: Scope) => Value;
  /** Whether the value depends on the entity that the list is for. */
  readsUser: boolean;
  /** Estimated number of evaluations of parts that one evaluation takes. */
  work: number;
}

/** One operand of the `&&` at the top of an expression. */
export interface Clause extends Expression {
  /** The columns that the clause names, such as item.price. */
  columns: readonly { text: string; evaluate: (scope: Scope) => Value }[];
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
  const { expression } = compileRoot(text, root, 'bool', columns);
  const clauses = splitClauses(text, root).map((clause) => {
    const compiled = compileRoot(clause.text, clause.node, 'bool', columns);
    return { ...compiled.expression, columns: columnsOf(clause.node, compiled.context) };
  });
  return { ...expression, clauses };
}

/** Maximum factor of a boost; larger values count as this. */
export const maxBoost = 1000;

/**
 * Compiles a boost, an expression with the type number. A constant out of the range is refused, because it would change no list, or move every item to score 0.
 * @throws ExpressionFault
 */
export function compileBoost(text: string, columns: Columns): Expression {
  const { expression, constant } = compileRoot(text, parseExpression(text), 'number', columns);
  if (constant !== undefined && (constant < 0 || constant > maxBoost)) {
    throw new ExpressionFault(`its value is ${constant} for every item, and a boost is a factor from 0 to ${maxBoost}, such as item.price < 20 ? 1.5 : 1`, 0);
  }
  return expression;
}

function compileRoot(text: string, root: ASTNode, type: ValueType, columns: Columns): { expression: Expression; constant: number | undefined; context: CompileContext } {
  const context: CompileContext = {
    columns, compile: (node) => compileExpression(node, context), variable: null, readsUser: false, work: 0,
  };
  const compiled = context.compile(root);
  if (compiled.type !== type) throw new ExpressionFault(`its value is a ${compiled.type}, and a ${type} is needed`, 0);
  const { readsUser, work } = context;
  return { expression: { text, evaluate: compiled.evaluate, readsUser, work }, constant: compiled.constant, context };
}

/** The nodes of the library do not have exact ends, so the text is split, and each part parsed. */
function splitClauses(text: string, root: ASTNode): { text: string; node: ASTNode }[] {
  return root.op === '&&' ? splitConjunction(text).map((part) => ({ text: part, node: parseExpression(part) })) : [{ text: text.trim(), node: root }];
}

const textOf = ({ input, range }: ASTNode): string => input.slice(range.start, range.end);

function columnsOf(node: ASTNode, context: CompileContext): Clause['columns'] {
  const named = new Map(columnNodes(node).map((column) => [textOf(column), column]));
  return [...named].map(([text, column]) => ({ text, evaluate: context.compile(column).evaluate }));
}

/** Operands differ by operator: a node, a list of nodes or plain values. */
function columnNodes(part: unknown): ASTNode[] {
  if (Array.isArray(part)) return part.flatMap(columnNodes);
  if (!isNode(part)) return [];
  return columnPath(part) === null ? columnNodes(part.args) : [part];
}

const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
