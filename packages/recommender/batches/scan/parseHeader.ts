import { shorten } from '@vouch/platform/errors/shorten';
import { maxColumns, tableColumns, type ColumnRule, type TableKind } from './columns.ts';

/** The structure of a file's rows, read from its header. */
export interface Header {
  kind: TableKind;
  /** Number of fields that each row must have. */
  width: number;
  /** The stored columns in the order of `tableColumns`, each with its position in the file. */
  columns: readonly { rule: ColumnRule; position: number }[];
}

/** The reason why a header cannot be used. */
interface HeaderFault {
  reason: string;
  column?: string;
}

const separators = [44, 59, 9] as const;

/** Splits one line by a separator outside quotes. Used for the header only, because the function is slow. */
export function splitHeader(text: string, separator: string): string[] {
  const names: string[] = [];
  let name = '';
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    else if (sign === separator && !quoted) {
      names.push(name);
      name = '';
    } else name += sign;
  }
  names.push(name);
  return names.map((entry) => entry.trim().toLowerCase());
}

const knownNames = new Set(
  Object.values(tableColumns).flatMap((columns) => columns.flatMap((rule) => [rule.name, ...rule.aliases])),
);

/**
 * Detects the separator of a file: comma, semicolon or tab, whichever yields the most known column names; on a tie the most
 * columns, then the first in this order.
 * @param line the header without its line end
 */
export function detectSeparator(line: string): number {
  let best: number = separators[0];
  let bestScore = -1;
  for (const separator of separators) {
    const names = splitHeader(line, String.fromCharCode(separator));
    const score = names.filter((name) => knownNames.has(name)).length * 10_000 + Math.min(names.length, 9999);
    if (score > bestScore) [best, bestScore] = [separator, score];
  }
  return best;
}

function positionsOf(rule: ColumnRule, names: readonly string[]): number[] {
  const accepted = [rule.name, ...rule.aliases];
  return names.flatMap((name, position) => (accepted.includes(name) ? [position] : []));
}

function missingColumns(kind: TableKind, names: readonly string[]): string[] {
  return tableColumns[kind].filter((rule) => positionsOf(rule, names).length === 0).map((rule) => rule.name);
}

function quoteNames(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => shorten(name, 40) || '(blank)');
  return shown.join(',') + (names.length > shown.length ? `,… (${names.length} columns)` : '');
}

const needs = {
  entity: `an entity file has ${tableColumns.entity.map((rule) => rule.name).join(',')}`,
  interaction: `an interaction file has ${tableColumns.interaction.map((rule) => rule.name).join(',')}`,
};

function explainUnusable(names: readonly string[]): HeaderFault {
  const own = {
    interaction: ['source_id', 'target_id', 'timestamp'].filter((name) => names.includes(name)).length,
    entity: ['id', 'name', 'entity_name', 'entity_type', 'media_url'].filter((name) => names.includes(name)).length,
  };
  const found = `the header has the columns ${quoteNames(names)}`;
  if (own.interaction === 0 && own.entity === 0) {
    return { reason: `${found}, which is neither table: ${needs.entity}; ${needs.interaction}. The first line must be the header` };
  }
  const kind = own.interaction >= own.entity ? 'interaction' : 'entity';
  const missing = missingColumns(kind, names);
  const plural = missing.length > 1 ? 'columns' : 'column';
  return {
    reason: `${found}; the ${plural} ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing: ${needs[kind]} (a column may be empty, but must be there)`,
    column: missing.join(','),
  };
}

/**
 * Recognises the kind of table from a header: all columns of the kind must be present, in any order and any case; other
 * columns are allowed.
 * @param names trimmed, lower-case column names
 */
export function parseHeader(names: readonly string[]): Header | HeaderFault {
  if (names.length > maxColumns) {
    return { reason: `the header has ${names.length} columns; at most ${maxColumns} are read` };
  }
  const isEntity = missingColumns('entity', names).length === 0;
  const isInteraction = missingColumns('interaction', names).length === 0;
  if (isEntity && isInteraction) {
    return {
      reason: `the header has the columns ${quoteNames(names)}, which is both tables at once: ${needs.entity}; ${needs.interaction}. Send two files`,
    };
  }
  if (!isEntity && !isInteraction) return explainUnusable(names);
  const kind = isEntity ? 'entity' : 'interaction';
  const columns: { rule: ColumnRule; position: number }[] = [];
  for (const rule of tableColumns[kind]) {
    const positions = positionsOf(rule, names);
    const [position] = positions;
    if (position === undefined || positions.length > 1) {
      const written = positions.map((place) => names[place]).join(' and ');
      return { reason: `the header names the column ${rule.name} ${positions.length} times (${written}); keep one of them`, column: rule.name };
    }
    columns.push({ rule, position });
  }
  return { kind, width: names.length, columns };
}
