import { toColumnValue } from '../../engine/columns/columnValue.ts';
import { visitMembers } from '../../engine/columns/visitMembers.ts';
import type { Columns, Value, ValueType } from '../../expressions/expressionValue.ts';

/** Columns that every entity has. */
const ownColumns = ['id', 'type', 'name'] as const;

/** What expressions read of an entity. */
export interface FilteredEntity {
  id: string;
  /** Undefined for an id without an entity row. */
  type: string | undefined;
  name: string;
  /** JSON object text; empty if there is none. */
  metadata: string;
}

/** Types of metadata columns by name, and the members that are no columns with the reason. */
export interface ColumnTypes {
  item: ReadonlyMap<string, ValueType>;
  user: ReadonlyMap<string, ValueType>;
  omitted: ReadonlyMap<string, string>;
}

/** The columns that a training's filter names: only their values are read from the metadata, and kept by number of the item. */
export class FilterColumns implements Columns {
  readonly owner = 'the data';
  private readonly types: ColumnTypes;
  private readonly items = new Map<string, Value[]>();
  private readonly users = new Set<string>();

  constructor(types: ColumnTypes) {
    this.types = types;
  }

  item(name: string): { type: ValueType; read: (item: number) => Value } | null {
    const type = isOwn(name) ? 'string' : this.types.item.get(name);
    if (type === undefined) return null;
    const values = this.items.get(name) ?? [];
    this.items.set(name, values);
    return { type, read: (item) => values[item] };
  }

  user(name: string): ValueType | null {
    const type = isOwn(name) ? 'string' : this.types.user.get(name);
    if (type !== undefined) this.users.add(name);
    return type ?? null;
  }

  itemNames(): string[] {
    return [...ownColumns, ...this.types.item.keys()];
  }

  userNames(): string[] {
    return [...ownColumns, ...this.types.user.keys()];
  }

  omitted(name: string): string | null {
    return this.types.omitted.get(name) ?? null;
  }

  /** Stores the values of an item that the compiled expressions name. */
  addItem(item: number, entity: FilteredEntity): void {
    visitValues(entity, this.types.item, (name, value) => {
      const values = this.items.get(name);
      if (values !== undefined) values[item] = value;
    });
  }

  /** Forgets the values of all items. */
  clear(): void {
    for (const values of this.items.values()) values.length = 0;
  }

  /** The values of `user.…` that the compiled expressions name. */
  userValues(entity: FilteredEntity): ReadonlyMap<string, Value> {
    const values = new Map<string, Value>();
    visitValues(entity, this.types.user, (name, value) => {
      if (this.users.has(name)) values.set(name, value);
    });
    return values;
  }

  /** Types of the metadata columns that the compiled expressions name, such as `item.price`. */
  named(): Record<string, ValueType> {
    const ofItems = [...this.items.keys()].filter((name) => !isOwn(name)).map((name) => [`item.${name}`, this.types.item.get(name)]);
    const ofUsers = [...this.users].filter((name) => !isOwn(name)).map((name) => [`user.${name}`, this.types.user.get(name)]);
    return Object.fromEntries([...ofItems, ...ofUsers].toSorted()) as Record<string, ValueType>;
  }
}

function visitValues({ id, type, name, metadata }: FilteredEntity, types: ReadonlyMap<string, ValueType>, visit: (name: string, value: Value) => void): void {
  if (metadata !== '') {
    visitMembers(metadata, (path, member) => {
      const of = isOwn(path) ? undefined : types.get(path);
      if (of !== undefined) visit(path, toColumnValue(member, of));
    });
  }
  visit('id', id);
  visit('type', type);
  visit('name', name === '' ? undefined : name);
}

const isOwn = (name: string): boolean => (ownColumns as readonly string[]).includes(name);
