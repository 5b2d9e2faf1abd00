import type { ASTNode } from '@marcbachmann/cel-js';
import { shorten } from '@vouch/platform/errors/shorten';
import { ExpressionFault, type Columns, type Compiled, type Scope, type Value, type ValueType } from './expressionValue.ts';

/** What the parts of an expression are compiled with. */
export interface CompileContext {
  columns: Columns;
  /** Compiles a part of any kind. */
  compile(node: ASTNode): Compiled;
  /** Variable of the surrounding macro and the type of its elements. */
  variable: { name: string; type: ValueType } | null;
  /** Set if a part reads `user.…`. */
  readsUser: boolean;
  /** Estimated number of evaluations of parts that one evaluation of the expression takes. */
  work: number;
}

/** Compiles a part that must have a type. */
export function compileAs(type: ValueType, node: ASTNode, context: CompileContext): (scope: Scope) => Value {
  const part = context.compile(node);
  if (part.type !== type) throw new ExpressionFault(`${shown(node)} is a ${part.type}, and a ${type} is needed here`, node.range.start);
  return part.evaluate;
}

/** The text of a part, shortened, as a quotation. */
export function shown(node: ASTNode): string {
  return `\`${written(node)}\``;
}

/** The text of a part, shortened. The nodes of the library do not have the parentheses at their ends, so missing ones are added. */
export function written({ input, range }: ASTNode): string {
  const text = input.slice(range.start, range.end);
  const outside = text.replaceAll(/"[^"]*"|'[^']*'/g, '');
  const missing = outside.split(')').length - outside.split('(').length;
  return shorten(`${'('.repeat(Math.max(0, missing))}${text}${')'.repeat(Math.max(0, -missing))}`, 80);
}
