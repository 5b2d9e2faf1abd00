import type { SectionContent } from '../modelFile/sectionFile.ts';
import { encodeStrings } from '../modelFile/stringTable.ts';
import type { ColumnFact, ColumnFacts, ColumnType, ColumnValue, OmittedColumn } from '../data/column.ts';
import { toColumnValue } from './columnValue.ts';
import { surveyColumns } from './surveyColumns.ts';
import { visitMembers } from './visitMembers.ts';

/** Maximum number of different texts of a column. A column with more is an identifier or a title, and its dictionary would fill the memory. */
const maxTexts = 200_000;

/** Nodes whose metadata become columns. */
interface ColumnNodes {
  metadata: readonly string[];
  itemNode: Int32Array;
  nodeItem: Int32Array;
}

/**
 * Converts the metadata of items to typed columns of the model file. Metadata of other entities (users) are stored as text,
 * because a query reads one of them; their types are in the facts.
 */
export function encodeColumns({ metadata, itemNode, nodeItem }: ColumnNodes): { facts: ColumnFacts; sections: Record<string, SectionContent> } {
  const textOfItem = function* (): Iterable<string> {
    for (const node of itemNode) yield metadata[node] ?? '';
  };
  const others = metadata.map((text, node) => ((nodeItem[node] ?? -1) < 0 ? text : ''));
  const { columns, omitted } = surveyColumns(textOfItem());
  const builders = fill(columns, textOfItem(), itemNode.length);
  const { kept, dropped } = dropLarge(builders);
  const sections: Record<string, SectionContent> = {};
  for (const [at, builder] of kept.entries()) Object.assign(sections, builder.sections(`column.${at}`));
  const users = surveyColumns(others).columns;
  if (users.length > 0) {
    const { offsets, text } = encodeStrings(others);
    Object.assign(sections, { 'node.metadata.offsets': offsets, 'node.metadata.text': text });
  }
  return { facts: { items: kept.map(({ fact }) => fact), users, omitted: [...dropped, ...omitted] }, sections };
}

function fill(columns: ColumnFact[], texts: Iterable<string>, items: number): ColumnBuilder[] {
  const builders = new Map(columns.map((fact) => [fact.name, new ColumnBuilder(fact, items)]));
  let item = 0;
  for (const text of texts) {
    visitMembers(text, (path, member) => {
      const builder = builders.get(path);
      if (builder !== undefined) builder.add(item, toColumnValue(member, builder.fact.type));
    });
    item += 1;
  }
  return [...builders.values()];
}

function dropLarge(builders: ColumnBuilder[]): { kept: ColumnBuilder[]; dropped: OmittedColumn[] } {
  const kept = builders.filter((builder) => !builder.isTooLarge);
  const reason = `it has more than ${maxTexts} different texts`;
  return { kept, dropped: builders.filter((builder) => builder.isTooLarge).map(({ fact }) => ({ name: fact.name, reason })) };
}

/** Collects one column: a value per item, or items with their values if fewer than half of the items have one. */
class ColumnBuilder {
  readonly fact: ColumnFact;
  private readonly items: Int32Array | null;
  private readonly doubles: Float64Array;
  private readonly bytes: Uint8Array;
  private readonly codes: Int32Array;
  private readonly pointer: Int32Array;
  private readonly listCodes: number[] = [];
  private readonly codeOf = new Map<string | number, number>();
  private readonly rows: number;
  private added = 0;

  constructor(fact: ColumnFact, items: number) {
    const sparse = fact.count * 2 < items;
    const rows = sparse ? fact.count : items;
    this.fact = sparse ? { ...fact, sparse } : fact;
    this.rows = rows;
    this.items = sparse ? new Int32Array(rows).fill(items) : null;
    this.doubles = new Float64Array(isDouble(fact.type) ? rows : 0).fill(Number.NaN);
    this.bytes = new Uint8Array(fact.type === 'bool' ? rows : 0).fill(absentBool);
    this.codes = new Int32Array(fact.type === 'string' ? rows : 0).fill(-1);
    this.pointer = new Int32Array(isList(fact.type) ? rows + 1 : 0);
  }

  get isTooLarge(): boolean {
    return this.codeOf.size > maxTexts;
  }

  add(item: number, value: ColumnValue): void {
    if (value === undefined || this.isTooLarge) return;
    const row = this.items === null ? item : this.added;
    // The survey and this pass read the same values, so a row beyond the counted rows cannot occur twice for one item.
    if (row >= this.rows || (this.items !== null && this.added > 0 && this.items[this.added - 1] === item)) return;
    if (this.items !== null) this.items[row] = item;
    this.added += 1;
    if (typeof value === 'number') this.doubles[row] = value;
    else if (typeof value === 'boolean') this.bytes[row] = value ? 1 : 0;
    else if (typeof value === 'string') this.codes[row] = this.code(value);
    else this.addList(row, value);
  }

  private addList(row: number, values: readonly (string | number)[]): void {
    for (const value of new Set(values)) this.listCodes.push(this.code(value));
    this.pointer[row + 1] = this.listCodes.length;
  }

  private code(value: string | number): number {
    const known = this.codeOf.get(value);
    if (known !== undefined) return known;
    const code = this.codeOf.size;
    this.codeOf.set(value, code);
    return code;
  }

  sections(name: string): Record<string, SectionContent> {
    const { type } = this.fact;
    const sections: Record<string, SectionContent> = this.items === null ? {} : { [`${name}.items`]: this.items };
    if (isDouble(type)) return { ...sections, [`${name}.values`]: this.doubles };
    if (type === 'bool') return { ...sections, [`${name}.values`]: this.bytes };
    if (isList(type)) {
      for (let row = 1; row < this.pointer.length; row += 1) this.pointer[row] = Math.max(this.pointer[row] ?? 0, this.pointer[row - 1] ?? 0);
      sections[`${name}.pointer`] = this.pointer;
    }
    sections[`${name}.values`] = isList(type) ? Int32Array.from(this.listCodes) : this.codes;
    const words = [...this.codeOf.keys()];
    if (type === 'list<number>') return { ...sections, [`${name}.numbers`]: Float64Array.from(words as number[]) };
    const { offsets, text } = encodeStrings(words as string[]);
    return { ...sections, [`${name}.text.offsets`]: offsets, [`${name}.text.text`]: text };
  }
}

/** Byte of a bool column for an item without a value. */
export const absentBool = 2;

const isDouble = (type: ColumnType): boolean => type === 'number' || type === 'timestamp';
const isList = (type: ColumnType): boolean => type === 'list<string>' || type === 'list<number>';
