import { ItemColumns, type ColumnReader } from '../../engine/columns/itemColumns.ts';
import type { StoredColumn } from '../../engine/columns/storedColumn.ts';
import { UserColumns } from '../../engine/columns/userColumns.ts';
import type { ColumnType } from '../../engine/data/column.ts';
import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import type { Columns, UserValues, Value, ValueType } from '../../expressions/expressionValue.ts';

/** Columns that every entity has. A metadata member with one of these names is not a column. */
const ownColumns = ['id', 'type', 'name'] as const;
type OwnColumn = (typeof ownColumns)[number];

/** The columns of a model, for expressions: id, type and name, and the columns of the metadata. */
export class ModelColumns implements Columns {
  readonly owner = 'the model';
  private readonly model: ModelReader;
  private readonly items: ItemColumns;
  private readonly users: UserColumns;

  constructor(model: ModelReader) {
    this.model = model;
    this.users = new UserColumns(model.file, model.facts.columns ?? null);
    this.items = new ItemColumns(model.file, model.facts.columns ?? null);
  }

  /** Changes when columns were dropped from memory, so that compiled expressions do not keep them in memory. */
  get generation(): number {
    return this.items.generation;
  }

  item(name: string): { type: ValueType; read: (item: number) => Value; stored?: StoredColumn | null } | null {
    if (isOwn(name)) return { type: 'string', read: (item) => this.ownValue(this.model.itemNode[item] ?? 0, name) };
    const type = this.facts()?.items.find((column) => column.name === name)?.type;
    const column = type === undefined ? null : this.items.open(name);
    if (type === undefined || column === null) return null;
    const { added } = this.model;
    const stored = column.stored === null || added === null ? column.stored : { ...column.stored, end: added.firstItem };
    return { type, read: this.withAdded(name, type, column.read), stored };
  }

  /** The values of items that the model file does not have come from their metadata. */
  private withAdded(name: string, type: ColumnType, read: ColumnReader): ColumnReader {
    const { added } = this.model;
    return added === null ? read : (item) => (item < added.firstItem ? read(item) : added.columnValue(item, name, type));
  }

  user(name: string): ValueType | null {
    if (isOwn(name)) return 'string';
    const named = ({ name: column }: { name: string }): boolean => column === name;
    return this.facts()?.users.find(named)?.type ?? this.facts()?.items.find(named)?.type ?? null;
  }

  itemNames(): string[] {
    return [...ownColumns, ...(this.facts()?.items.map(({ name }) => name) ?? [])];
  }

  userNames(): string[] {
    return [...new Set([...ownColumns, ...(this.facts()?.users.map(({ name }) => name) ?? []), ...(this.facts()?.items.map(({ name }) => name) ?? [])])];
  }

  omitted(name: string): string | null {
    if (this.facts() === null) return 'the model was trained before there were columns; train the model again';
    return this.facts()?.omitted.find((column) => column.name === name)?.reason ?? null;
  }

  /** Values of the entity that a list is for, by column. For an item, the item's columns are read as `user.…` too. */
  userValues(node: number): UserValues {
    const item = this.model.nodeItem[node] ?? -1;
    const values = item < 0 ? this.users.read(node) : this.itemAsUser(item);
    return {
      get: (name) => {
        const known = values.get(name);
        if (known !== undefined || !isOwn(name)) return known;
        const own = this.ownValue(node, name);
        values.set(name, own);
        return own;
      },
    };
  }

  private itemAsUser(item: number): Map<string, Value> {
    const values = new Map<string, Value>();
    for (const { name, type } of this.facts()?.items ?? []) if (this.user(name) === type) values.set(name, this.item(name)?.read(item));
    return values;
  }

  private facts() {
    return this.items.facts;
  }

  private ownValue(node: number, name: OwnColumn): Value {
    const { model } = this;
    if (name === 'id') return model.ids.get(node);
    if (name === 'type') return model.facts.types[model.nodeType[node] ?? -1];
    const text = model.names.get(node);
    return text === '' ? undefined : text;
  }
}

const isOwn = (name: string): name is OwnColumn => (ownColumns as readonly string[]).includes(name);
