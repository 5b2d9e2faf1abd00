import type { StoredColumn, StoredNumbers, StoredTexts, StoredListColumn } from '../engine/columns/storedColumn.ts';
import type { Compiled, Scope, Value } from './expressionValue.ts';

type Evaluate = (scope: Scope) => Value;

/** Which of the results less, equal and greater an operator accepts, as bits. */
const accepted = { '<': 1, '<=': 3, '>': 4, '>=': 6, '==': 2, '!=': 5 } as const;
const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' } as const;
type Operator = keyof typeof accepted;

/**
 * Compiles a comparison of a stored column, without an object per item: a number that a function returns is an object, and a list is several. Collecting
 * these objects took more time than the comparisons.
 * @param general the comparison for items whose values are not stored
 * @returns null if neither side is a column that can be compared as stored
 */
export function compareStored(operator: Operator, left: Compiled, right: Compiled, general: Evaluate): Evaluate | null {
  if (left.stored?.kind === 'numbers') return compareNumbers(operator, left.stored, right.evaluate, general);
  if (right.stored?.kind === 'numbers') return compareNumbers(mirrored[operator], right.stored, left.evaluate, general);
  if (operator !== '==' && operator !== '!=') return null;
  if (left.stored?.kind === 'texts' && isExact(right.text)) return equalsText(operator === '==', left.stored, right.text, general);
  if (right.stored?.kind === 'texts' && isExact(left.text)) return equalsText(operator === '==', right.stored, left.text, general);
  return null;
}

function compareNumbers(operator: Operator, { values, rowOf, end }: StoredNumbers, other: Evaluate, general: Evaluate): Evaluate {
  const bits = accepted[operator];
  return (scope) => {
    const { item } = scope;
    if (item >= end) return general(scope);
    const row = rowOf(item);
    const value = row < 0 ? Number.NaN : (values[row] ?? Number.NaN);
    if (Number.isNaN(value)) return undefined;
    const compared = other(scope) as number | undefined;
    if (compared === undefined) return undefined;
    return (bits & (value < compared ? 1 : value === compared ? 2 : 4)) !== 0;
  };
}

function equalsText(wanted: boolean, { codes, rowOf, end, findCode }: StoredTexts, text: string, general: Evaluate): Evaluate {
  const searched = findCode(text);
  return (scope) => {
    const { item } = scope;
    if (item >= end) return general(scope);
    const row = rowOf(item);
    const code = row < 0 ? -1 : (codes[row] ?? -1);
    return code < 0 ? undefined : (code === searched) === wanted;
  };
}

/**
 * Compiles `constant in column`, as `compareStored` does.
 * @returns null if the column is not stored or the value is not a constant
 */
export function searchStored(value: Compiled, stored: StoredColumn | null | undefined, general: Evaluate): Evaluate | null {
  const word = value.text ?? value.constant;
  if (stored?.kind !== 'lists' || word === undefined || (typeof word === 'string' && !isExact(word))) return null;
  const { pointer, codes, rowOf, end } = stored;
  const searched = stored.findCode(word);
  return (scope) => {
    const { item } = scope;
    if (item >= end) return general(scope);
    const row = rowOf(item);
    if (row < 0) return false;
    const last = pointer[row + 1] ?? 0;
    for (let at = pointer[row] ?? 0; at < last; at += 1) if (codes[at] === searched) return true;
    return false;
  };
}

/**
 * Compiles a macro over a stored list, as `compareStored` does.
 * @param deciding result of the test after which the other elements are not tested
 */
export function testStored(stored: StoredListColumn, test: Evaluate, deciding: boolean, general: Evaluate): Evaluate {
  const { pointer, codes, word, rowOf, end } = stored;
  return (scope) => {
    if (scope.item >= end) return general(scope);
    const row = rowOf(scope.item);
    const last = row < 0 ? 0 : (pointer[row + 1] ?? 0);
    for (let at = row < 0 ? 0 : (pointer[row] ?? 0); at < last; at += 1) {
      scope.element = word(codes[at] ?? 0);
      if (test(scope) === deciding) return deciding;
    }
    return !deciding;
  };
}

/** Compiles the number of elements of a stored list, as `compareStored` does. */
export function countStored(stored: StoredListColumn, general: Evaluate): Evaluate {
  const { pointer, rowOf, end } = stored;
  return (scope) => {
    if (scope.item >= end) return general(scope);
    const row = rowOf(scope.item);
    return row < 0 ? 0 : (pointer[row + 1] ?? 0) - (pointer[row] ?? 0);
  };
}

/** A model file replaces halves of surrogate pairs, so that different texts can have the same bytes there. */
function isExact(text: string | undefined): text is string {
  return text !== undefined && !Buffer.from(text, 'utf8').toString('utf8').includes('�');
}
