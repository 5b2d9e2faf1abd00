import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Fault } from '@vouch/platform/errors/problem';
import { maxFaults, tableColumns, type ColumnRule, type TableKind } from '../batches/scan/columns.ts';
import { parseTimestamp } from '../batches/scan/parseTimestamp.ts';
import type { NewEvent } from './event.ts';
import type { Entity, Interaction } from './event.schema.ts';

/** Tolerance for the clocks of clients, and of those who wrote uploaded files. */
export const aheadMs = 24 * 3_600_000;

/** Sender and labels of the events of one request. */
export interface EventOrigin {
  organizationId: string;
  tags: readonly string[];
  /** Time of the request, in ms since the Unix epoch. */
  now: number;
}

/**
 * Converts the interactions of a request, by the rules for the columns of a CSV file.
 * @throws Problem `invalid-parameter` with all faults, up to 100
 */
export function parseInteractions(interactions: readonly Interaction[], { organizationId, tags, now }: EventOrigin): NewEvent[] {
  const faults = new EventFaults('interactions', 'interaction');
  const events = interactions.map((interaction, at): NewEvent => ({
    organization_id: organizationId, kind: 'interaction', tags, event_id: interaction.id ?? null,
    type: faults.text(at, 'type', interaction.type), source_id: faults.text(at, 'source_id', interaction.source_id),
    target_id: faults.text(at, 'target_id', interaction.target_id) ?? '', happened_at: faults.time(at, interaction.timestamp, now),
    metadata: faults.object(at, interaction.metadata), name: null, media_url: null, available: null, recommendation_id: interaction.recommendation_id ?? null,
  }));
  faults.throwIfAny();
  return events;
}

/**
 * Converts the entities of a request, by the rules for the columns of a CSV file.
 * @throws Problem `invalid-parameter` with all faults, up to 100
 */
export function parseEntities(entities: readonly Entity[], { organizationId, tags }: EventOrigin): NewEvent[] {
  const faults = new EventFaults('entities', 'entity');
  const events = entities.map((entity, at): NewEvent => ({
    organization_id: organizationId, kind: 'entity', tags, event_id: null, source_id: null, happened_at: null,
    target_id: faults.text(at, 'id', entity.id) ?? '', type: faults.text(at, 'type', entity.type), name: faults.text(at, 'name', entity.name),
    metadata: faults.object(at, entity.metadata), media_url: faults.text(at, 'media_url', entity.media_url), available: entity.available ?? true, recommendation_id: null,
  }));
  faults.throwIfAny();
  return events;
}

/** The event that deletes an entity. */
export function deletionOf(id: string, organizationId: string): NewEvent {
  return {
    organization_id: organizationId, kind: 'deletion', event_id: null, tags: [], target_id: id, source_id: null, type: null,
    happened_at: null, name: null, metadata: null, media_url: null, available: false, recommendation_id: null,
  };
}

/** Reads the values of events and collects what is wrong with them. */
class EventFaults {
  private readonly faults: Fault[] = [];
  private readonly list: string;
  private readonly rules: ReadonlyMap<string, ColumnRule>;

  constructor(list: string, kind: TableKind) {
    this.list = list;
    this.rules = new Map(tableColumns[kind].map((rule) => [rule.name, rule]));
  }

  /** Returns a text, or null if the text is absent or empty. */
  text(at: number, field: string, value: string | undefined): string | null {
    if (value === undefined || value === '') return null;
    const { maxBytes: limit = 0, required = false } = this.rules.get(field) ?? {};
    if (required && /^[\0-\x20]*$/.test(value)) this.add(at, field, value.slice(0, 80), 'is blank; every event needs it');
    const bytes = value.length * 3 <= limit ? 0 : Buffer.byteLength(value);
    if (bytes > limit) this.add(at, field, value.slice(0, 80), `has ${bytes} bytes; at most ${limit} are allowed`);
    return value;
  }

  time(at: number, value: string | number | undefined, now: number): number {
    if (value === undefined || value === '') return now;
    const bytes = Buffer.from(String(value));
    const time = parseTimestamp(bytes, 0, bytes.length);
    const shown = JSON.stringify(value).slice(0, 80);
    if (Number.isNaN(time)) this.add(at, 'timestamp', shown, `is ${shown}; it must be ISO 8601 or Unix time in seconds or milliseconds`);
    else if (time > now + aheadMs) {
      this.add(at, 'timestamp', shown, `is ${shown}, which is ${new Date(time).toISOString()} and in the future; send the time at which the event happened, or omit it`);
    }
    return time;
  }

  object(at: number, value: object | undefined): string | null {
    if (value === undefined) return null;
    const text = JSON.stringify(value);
    if (text === '{}') return null;
    const infinite = text.includes('null') ? infiniteIn(value) : null;
    if (infinite !== null) this.add(at, 'metadata', infinite, `has a number at ${JSON.stringify(infinite)} that is too large for JSON readers; use a number below 1e308`);
    const { maxBytes: limit = 0 } = this.rules.get('metadata') ?? {};
    const bytes = text.length * 3 <= limit ? 0 : Buffer.byteLength(text);
    if (bytes > limit) this.add(at, 'metadata', `${bytes} bytes`, `has ${bytes} bytes; at most ${limit} are allowed`);
    return text;
  }

  /** @throws Problem `invalid-parameter` if anything is wrong */
  throwIfAny(): void {
    const [first] = this.faults;
    if (first === undefined) return;
    const more = this.faults.length - 1;
    throw platformErrors.problem('invalid-parameter', `${first.detail} Nothing of the request was stored.${more === 0 ? '' : ` ${more} more in \`errors\`.`}`, { errors: this.faults });
  }

  private add(at: number, field: string, value: string, why: string): void {
    if (this.faults.length >= maxFaults) return;
    this.faults.push({ location: `/${this.list}/${at}/${field}`, detail: `${this.list}[${at}].${field} ${why}.`, value });
  }
}

/** Name of the first member that is not a finite number, which `JSON.parse` makes of 1e400; null if there is none. */
function infiniteIn(value: object): string | null {
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (typeof member === 'number' && !Number.isFinite(member)) return name;
    const inside = typeof member === 'object' && member !== null ? infiniteIn(member) : null;
    if (inside !== null) return `${name}.${inside}`;
  }
  return null;
}
