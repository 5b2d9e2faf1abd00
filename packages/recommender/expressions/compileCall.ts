import type { ASTNode } from '@marcbachmann/cel-js';
import { nearestName } from '@vouch/platform/config/nearestName';
import { parseTimestamp } from '../engine/columns/columnValue.ts';
import { columnPath, compileColumn } from './compileColumn.ts';
import { compileAs, shown, type CompileContext } from './compileContext.ts';
import { countStored, testStored } from './compileStored.ts';
import { ExpressionFault, type Compiled, type Scope, type Value } from './expressionValue.ts';
import { noText } from './mismatch.ts';

const textMethods: Readonly<Record<string, (text: string, other: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
};

const known = ['has', 'size', 'timestamp', 'contains', 'startsWith', 'endsWith', 'lowerAscii', 'exists', 'all'];

/**
 * Compiles a function or a method.
 * @param receiver value before the dot; null for a function
 */
export function compileCall(node: ASTNode, receiver: ASTNode | null, name: string, given: ASTNode | ASTNode[], context: CompileContext): Compiled {
  const parameters = Array.isArray(given) ? given : [given];
  const [first, second] = parameters;
  if (receiver === null && first !== undefined && second === undefined) {
    if (name === 'has') return compileHas(first, context);
    if (name === 'size') return compileSize(first, context);
    if (name === 'timestamp') return compileTimestamp(first);
  }
  if (receiver !== null && first !== undefined) {
    if (name === 'exists' || name === 'all') return compileMacro(name, receiver, first, second, context);
    const method = textMethods[name];
    if (method !== undefined && second === undefined) return compileTextMethod(method, receiver, first, context);
  }
  if (receiver !== null && first === undefined) {
    if (name === 'size') return compileSize(receiver, context);
    if (name === 'lowerAscii') {
      const text = compileAs('string', receiver, context);
      return { type: 'string', evaluate: (scope) => { const value = text(scope); return typeof value === 'string' ? value.toLowerCase() : undefined; } };
    }
  }
  throw unknownCall(name, parameters.length, node);
}

function unknownCall(name: string, parameters: number, node: ASTNode): ExpressionFault {
  if (name === 'matches') {
    return new ExpressionFault('`matches` is not supported, because some regular expressions take for ever; use contains, startsWith or endsWith', node.range.start);
  }
  if (known.includes(name)) return new ExpressionFault(`\`${name}\` is not used like this (${parameters} arguments)`, node.range.start);
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `Known functions: ${known.join(', ')}` : `The nearest function is ${nearest}`;
  return new ExpressionFault(`the function ${JSON.stringify(name.slice(0, 100))} is not supported. ${hint}`, node.range.start);
}

function compileHas(argument: ASTNode, context: CompileContext): Compiled {
  const path = columnPath(argument);
  if (path === null) throw new ExpressionFault(`has() takes a column, and ${shown(argument)} is none`, argument.range.start);
  const { evaluate, stored } = compileColumn(path, argument, context);
  if (stored?.kind === 'lists') {
    const count = countStored(stored, (scope) => (evaluate(scope) as readonly Value[]).length);
    return { type: 'bool', evaluate: (scope) => count(scope) !== 0 };
  }
  return {
    type: 'bool',
    evaluate: (scope) => {
      const value = evaluate(scope);
      return Array.isArray(value) ? value.length > 0 : value !== undefined;
    },
  };
}

function compileSize(argument: ASTNode, context: CompileContext): Compiled {
  const { type, evaluate, stored } = context.compile(argument);
  if (type !== 'string' && !type.startsWith('list')) throw new ExpressionFault(`size() takes a text or a list, and ${shown(argument)} is a ${type}`, argument.range.start);
  const general = (scope: Scope): Value => {
    const value = evaluate(scope);
    return typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : undefined;
  };
  return { type: 'number', evaluate: stored?.kind === 'lists' ? countStored(stored, general) : general };
}

function compileTimestamp(argument: ASTNode): Compiled {
  const text: unknown = argument.op === 'value' ? argument.args : null;
  const time = typeof text === 'string' ? parseTimestamp(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new ExpressionFault(`timestamp() takes a date or time such as "2026-01-31" or "2026-01-31T12:00:00Z", and ${shown(argument)} is none`, argument.range.start);
  }
  return { type: 'timestamp', evaluate: () => time };
}

function compileTextMethod(method: (text: string, other: string) => boolean, receiver: ASTNode, argument: ASTNode, context: CompileContext): Compiled {
  const { type, evaluate: text } = context.compile(receiver);
  if (type !== 'string') throw noText(receiver, type, argument);
  const other = compileAs('string', argument, context);
  return {
    type: 'bool',
    evaluate: (scope) => {
      const one = text(scope);
      const two = other(scope);
      return typeof one === 'string' && typeof two === 'string' ? method(one, two) : undefined;
    },
  };
}

/** `list.exists(x, condition)` and `list.all(x, condition)`. Macros inside macros are refused, because their work multiplies. */
function compileMacro(name: 'exists' | 'all', receiver: ASTNode, variable: ASTNode, condition: ASTNode | undefined, context: CompileContext): Compiled {
  if (context.variable !== null) throw new ExpressionFault(`${name}() inside another exists() or all() is not supported`, receiver.range.start);
  if (variable.op !== 'id' || condition === undefined) throw new ExpressionFault(`${name}() takes a variable and a condition, as in item.genres.${name}(g, g != "horror")`, variable.range.start);
  const list = context.compile(receiver);
  if (list.type !== 'list<string>' && list.type !== 'list<number>') throw new ExpressionFault(`${name}() takes a list, and ${shown(receiver)} is a ${list.type}`, receiver.range.start);
  context.variable = { name: variable.args, type: list.type === 'list<string>' ? 'string' : 'number' };
  const test = compileAs('bool', condition, context);
  context.variable = null;
  const deciding = name === 'exists';
  const general = (scope: Scope): Value => {
    const values = list.evaluate(scope);
    if (!Array.isArray(values)) return undefined;
    for (const value of values as readonly (string | number)[]) {
      scope.element = value;
      if (test(scope) === deciding) return deciding;
    }
    return !deciding;
  };
  return { type: 'bool', evaluate: list.stored?.kind === 'lists' ? testStored(list.stored, test, deciding, general) : general };
}
