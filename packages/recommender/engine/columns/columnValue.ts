import { longestText, type ColumnType, type ColumnValue } from '../data/column.ts';
import type { Member } from './visitMembers.ts';

const timestampForm = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Parses an ISO 8601 date or date-time into ms since the epoch; without a zone, the time is in UTC. NaN for any other text. */
export function parseTimestamp(text: string): number {
  if (text.length < 10 || text.length > 40 || !timestampForm.test(text)) return Number.NaN;
  const zoned = text.length === 10 || /(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(10));
  return Date.parse(zoned ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`);
}

/** Converts a metadata member to the type of its column; undefined if the member has no value of this type. */
export function toColumnValue(member: Member, type: ColumnType): ColumnValue {
  if (type === 'list<string>') return listOf(member).map(String).filter(isShort);
  if (type === 'list<number>') return listOf(member).filter((value) => typeof value === 'number' && Number.isFinite(value)) as number[];
  if (Array.isArray(member)) return undefined;
  if (type === 'number') return typeof member === 'number' ? member : undefined;
  if (type === 'bool') return typeof member === 'boolean' ? member : undefined;
  if (type === 'timestamp') return finiteOrNone(typeof member === 'string' ? parseTimestamp(member.trim()) : Number.NaN);
  const text = String(member).trim();
  return text !== '' && isShort(text) ? text : undefined;
}

/** The scalars of a member; a text is trimmed. */
function listOf(member: Member): (string | number | boolean)[] {
  const scalars: (string | number | boolean)[] = [];
  for (const value of Array.isArray(member) ? (member as readonly unknown[]) : [member]) {
    if (typeof value === 'string') scalars.push(value.trim());
    else if (typeof value === 'number' || typeof value === 'boolean') scalars.push(value);
  }
  return scalars;
}

const isShort = (text: string): boolean => text.length <= longestText;
const finiteOrNone = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
