import type { ASTNode } from '@marcbachmann/cel-js';
import { parseTimestamp } from '../engine/columns/columnValue.ts';
import { columnPath } from './compileColumn.ts';
import { shown, written } from './compileContext.ts';
import { ExpressionFault, type Compiled, type ValueType } from './expressionValue.ts';

/** An operand of an operator: the part as written, and what it was compiled to. */
interface Operand {
  node: ASTNode;
  value: Compiled;
}

/** The fault of an operator whose operands have types that do not fit. It names both operands, and how to write what was most likely meant. */
export function mismatch(operator: string, left: Compiled, right: Compiled, node: ASTNode): ExpressionFault {
  const [leftNode, rightNode] = node.args as [ASTNode, ASTNode];
  const one = { node: leftNode, value: left };
  const other = { node: rightNode, value: right };
  const hint = operator === 'in' ? hintOfMembership(one, other) : hintOfPair(operator, one, other) ?? hintOfPair(operator, other, one);
  return new ExpressionFault(
    `the operator ${operator} does not take ${described(one)} on its left and ${described(other)} on its right${hint === null ? '' : `. ${hint}`}`, node.range.start,
  );
}

/** The fault of a method of texts that is called for a value of another type. @param part text that is searched for */
export function noText(receiver: ASTNode, type: ValueType, part: ASTNode): ExpressionFault {
  const hint = type === 'list<string>' ? `. Write \`${written(part)} in ${written(receiver)}\` for a list that contains the text` : '';
  return new ExpressionFault(`${shown(receiver)} is a ${type}, and a string is needed here${hint}`, receiver.range.start);
}

function described({ node, value: { type } }: Operand): string {
  return `${shown(node)}, a ${type},`;
}

function hintOfMembership(left: Operand, right: Operand): string | null {
  if (right.value.type === 'string') return `To search in a text, write \`${written(right.node)}.contains(${written(left.node)})\`; a list is written as ["A", "B"]`;
  if (!right.value.type.startsWith('list')) return 'A list is written as ["A", "B"] or [1, 2]';
  return right.value.type === 'list<string>' ? 'Its elements are texts: write them, and the value that is searched for, in quotes' : 'Its elements are numbers: write them, and the value that is searched for, without quotes';
}

/** What was most likely meant by comparing two values; null if nothing is known. */
function hintOfPair(operator: string, { node, value: { type } }: Operand, other: Operand): string | null {
  const { text } = other.value;
  if (type.startsWith('list')) return hintOfList(operator, node, other);
  if (type === 'timestamp') return `Write a time as timestamp(${JSON.stringify(text !== undefined && !Number.isNaN(parseTimestamp(text)) ? text : '2026-01-31')})`;
  if (type === 'number' && text !== undefined && /^-?\d+(\.\d+)?$/.test(text)) return `Write ${text} without quotes`;
  if (type === 'bool' && (text === 'true' || text === 'false')) return `Write ${text} without quotes`;
  if (type === 'string' && columnPath(node) !== null && (other.value.type === 'number' || other.value.type === 'bool')) {
    return `The column ${shown(node)} is a string because some or all of its values in the metadata are texts: upload them without quotes and train again, or compare with a text`;
  }
  return null;
}

function hintOfList(operator: string, list: ASTNode, { node, value }: Operand): string | null {
  if (value.type.startsWith('list')) return null;
  if (operator === '==') return `Write \`${written(node)} in ${written(list)}\` for a list that contains the value`;
  if (operator === '!=') return `Write \`!(${written(node)} in ${written(list)})\` for a list that does not contain the value`;
  return `Write \`${written(list)}.exists(x, x ${operator} ${written(node)})\` for a list with such a value, or \`size(${written(list)})\` for its length`;
}
