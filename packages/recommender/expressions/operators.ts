import type { ASTNode } from '@marcbachmann/cel-js';
import { shown } from './compileContext.ts';
import { compareStored, searchStored } from './compileStored.ts';
import { ExpressionFault, type Compiled, type Scope, type Value } from './expressionValue.ts';
import { mismatch } from './mismatch.ts';

type Comparison = '<' | '<=' | '>' | '>=';
type Arithmetic = '+' | '-' | '*' | '/' | '%';

/** `==` and `!=` of two scalars of one type; absent if an operand is absent. */
export function equality(operator: '==' | '!=', left: Compiled, right: Compiled, node: ASTNode): Compiled {
  if (left.type !== right.type) throw mismatch(operator, left, right, node);
  if (left.type.startsWith('list')) throw new ExpressionFault(`lists cannot be compared with ${operator}; use \`in\`, \`exists\` or \`all\``, node.range.start);
  const wanted = operator === '==';
  return storedFirst(operator, left, right, binary('bool', left, right, (a, b) => (a === b) === wanted));
}

/** An ordering of two numbers, texts (by code unit) or timestamps. */
export function comparison(operator: Comparison, left: Compiled, right: Compiled, node: ASTNode): Compiled {
  if (left.type !== right.type || left.type === 'bool' || left.type.startsWith('list')) throw mismatch(operator, left, right, node);
  return storedFirst(operator, left, right, binary('bool', left, right, compare[operator]));
}

const compare: Record<Comparison, (a: string | number, b: string | number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/**
 * Arithmetic with doubles, and + of texts. A result that is not finite is absent.
 * @throws ExpressionFault also if the result is finite for no item
 */
export function arithmetic(operator: Arithmetic, left: Compiled, right: Compiled, node: ASTNode): Compiled {
  if (operator === '+' && left.type === 'string' && right.type === 'string') return binary('string', left, right, (a, b) => `${a}${b}`);
  if (left.type !== 'number' || right.type !== 'number') throw mismatch(operator, left, right, node);
  const compute = calculate[operator];
  if ((operator === '/' || operator === '%') && right.constant === 0) throw new ExpressionFault(`${shown(node)} divides by 0, so it has no value for any item`, node.range.start);
  const compiled = binary('number', left, right, (a, b) => {
    const result = compute(a as number, b as number);
    return Number.isFinite(result) ? result : undefined;
  });
  if (left.constant === undefined || right.constant === undefined) return compiled;
  const constant = compute(left.constant, right.constant);
  if (!Number.isFinite(constant)) throw new ExpressionFault(`${shown(node)} is too large for a number, so it has no value for any item`, node.range.start);
  return { ...compiled, constant };
}

const calculate: Record<Arithmetic, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

/** `value in list`. */
export function membership(left: Compiled, right: Compiled, node: ASTNode): Compiled {
  if (right.type !== `list<${left.type}>`) throw mismatch('in', left, right, node);
  const general = (scope: Scope): Value => {
    const value = left.evaluate(scope);
    const list = right.evaluate(scope);
    if (value === undefined || !Array.isArray(list)) return undefined;
    return (list as readonly unknown[]).includes(value);
  };
  return { type: 'bool', evaluate: searchStored(left, right.stored, general) ?? general };
}

function storedFirst(operator: Comparison | '==' | '!=', left: Compiled, right: Compiled, general: Compiled): Compiled {
  return { type: 'bool', evaluate: compareStored(operator, left, right, general.evaluate) ?? general.evaluate };
}

function binary(type: Compiled['type'], left: Compiled, right: Compiled, combine: (a: string | number, b: string | number) => Value): Compiled {
  const one = left.evaluate;
  const other = right.evaluate;
  return {
    type,
    evaluate: (scope) => {
      const a = one(scope);
      if (a === undefined) return undefined;
      const b = other(scope);
      return b === undefined ? undefined : combine(a as string | number, b as string | number);
    },
  };
}
