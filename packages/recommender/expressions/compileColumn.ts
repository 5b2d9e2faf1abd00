import type { ASTNode } from '@marcbachmann/cel-js';
import { nearestName } from '@vouch/platform/config/nearestName';
import { shorten } from '@vouch/platform/errors/shorten';
import type { CompileContext } from './compileContext.ts';
import { ExpressionFault, type Columns, type Compiled } from './expressionValue.ts';

/** A column that an expression names: `item.brand.name` is the column `brand.name` of the item. */
interface ColumnPath {
  entity: 'item' | 'user';
  name: string;
}

/** Returns the column that a part names; null if the part names none. */
export function columnPath(node: ASTNode): ColumnPath | null {
  const members: string[] = [];
  let at = node;
  while (at.op === '.' || at.op === '[]') {
    const [base, member] = at.args;
    const name: unknown = typeof member === 'string' ? member : member.op === 'value' ? member.args : null;
    if (typeof name !== 'string') return null;
    members.unshift(name);
    at = base;
  }
  if (at.op !== 'id' || (at.args !== 'item' && at.args !== 'user') || members.length === 0) return null;
  return { entity: at.args, name: members.join('.') };
}

/**
 * Compiles the value of a column. A list column of an entity without the member is empty.
 * @throws ExpressionFault that names the column and the nearest known column
 */
export function compileColumn({ entity, name }: ColumnPath, node: ASTNode, context: CompileContext): Compiled {
  const { columns } = context;
  if (entity === 'item') {
    const column = columns.item(name);
    if (column === null) throw unknownColumn(columns, entity, name, node);
    const { type, read, stored = null } = column;
    if (isList(type)) return { type, evaluate: (scope) => read(scope.item) ?? [], stored };
    return { type, evaluate: (scope) => read(scope.item), stored };
  }
  const type = columns.user(name);
  if (type === null) throw unknownColumn(columns, entity, name, node);
  context.readsUser = true;
  return { type, evaluate: isList(type) ? (scope) => scope.user.get(name) ?? [] : (scope) => scope.user.get(name) };
}

const isList = (type: string): boolean => type.startsWith('list');

function unknownColumn(columns: Columns, entity: 'item' | 'user', name: string, node: ASTNode): ExpressionFault {
  const [known, omitted] = entity === 'item' ? [columns.itemNames(), columns.omitted(name)] : [columns.userNames(), null];
  const shortened = shorten(name, 100);
  if (omitted !== null) return new ExpressionFault(`the model does not keep the column ${JSON.stringify(shortened)} because ${omitted}`, node.range.start);
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `Known columns: ${listed(entity, known)}` : `The nearest column is ${entity}.${nearest}`;
  return new ExpressionFault(`${columns.owner} has no column ${JSON.stringify(`${entity}.${shortened}`)}. ${hint}`, node.range.start);
}

function listed(entity: string, known: readonly string[]): string {
  const names = known.slice(0, 20).map((name) => `${entity}.${name}`);
  return `${names.join(', ')}${known.length > names.length ? `, and ${known.length - names.length} more` : ''}`;
}
