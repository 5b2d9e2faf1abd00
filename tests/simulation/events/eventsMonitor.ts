import type { Client } from 'pg';
import type { RecentEvents } from '@vouch/recommender/events/recentEvents';
import type { SimulatedStore } from '../blobs/simulatedStore.ts';
import type { Cluster } from '../cluster.ts';
import type { DatabaseServer } from '../database/databaseServer.ts';
import type { Simulation } from '../kernel/simulation.ts';
import { listTargets } from './listTargets.ts';
import type { PlannedRequest } from './requests.ts';

interface SeenEvent {
  sequence: number;
  organization: string;
  kind: 'interaction' | 'entity' | 'deletion';
  event_id: string | null;
  target: string;
  available: boolean | null;
  tags: string[];
}

interface SeenBatch {
  id: string;
  organization: string;
  kind: 'interaction' | 'entity';
  blob: string;
  tags: string[];
}

interface Seen {
  events: SeenEvent[];
  batches: SeenBatch[];
  folds: Record<string, number>;
  hidden: [organization: string, entity: string][];
}

/** A request that shows, hides or deletes an entity, with the simulated times of its sending and its answer. */
interface Change {
  hides: boolean;
  sentAtMs: number;
  /** Null for a request that has no answer. */
  answeredAtMs: number | null;
  /** After this time, the request has no further effect; null before. */
  endedAtMs: number | null;
  /** Life of the server that answered. */
  by: string | null;
}

/** A request that deletes the events and batches with a tag. */
interface Erasure {
  organization: string;
  tag: string;
  endedAtMs: number | null;
}

/** How a request ended. */
export interface Ended {
  answered(life: string): void;
  failed(): void;
}

/** Time in ms without a fault after which a process must know what others have stored. */
const knownMs = 20_000;

const statement = `SELECT
  (SELECT coalesce(json_agg(e ORDER BY sequence), '[]') FROM (
     SELECT sequence, organization_id AS organization, kind, event_id, target_id AS target, available, tags FROM events) AS e) AS events,
  (SELECT coalesce(json_agg(b ORDER BY sequence), '[]') FROM (
     SELECT sequence, batch_id AS id, organization_id AS organization, kind, blob, tags FROM batches) AS b) AS batches,
  (SELECT coalesce(json_object_agg(organization_id, through), '{}') FROM event_folds) AS folds,
  (SELECT coalesce(json_agg(json_build_array(organization_id, entity_id)), '[]') FROM hidden_entities) AS hidden`;

/** Checks the promises of events after each commit, and what the servers know about them. */
export class EventsMonitor {
  readonly #simulation: Simulation;
  readonly #cluster: () => Cluster;
  readonly #store: SimulatedStore;
  #seen: Seen = { events: [], batches: [], folds: {}, hidden: [] };
  readonly #memories = new Map<string, { life: string; sinceMs: number; recent: RecentEvents }>();
  readonly #changes = new Map<string, Change[]>();
  /** Interactions whose request was answered. */
  readonly #answered = new Map<string, { tags: readonly string[]; organization: string }>();
  readonly #storedAtMs = new Map<string, number>();
  readonly #erasures: Erasure[] = [];
  /** Interactions that were answered before an answered request to delete them was sent. */
  readonly #erased = new Map<string, string>();
  readonly counts: Record<string, number> = { answered: 0, asked: 0, folded: 0, erased: 0 };
  #open = 0;
  /** Time in ms at which the last request ended. */
  #endedAtMs = 0;

  constructor(simulation: Simulation, server: DatabaseServer, cluster: () => Cluster, store: SimulatedStore) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.#store = store;
    server.inspect = (control, actors) => this.#inspect(control, actors);
    server.uninspected = /\b(?:jobs|job_pulse)\b/;
  }

  get allEnded(): boolean {
    return this.#open === 0 && this.#simulation.nowMs > this.#endedAtMs + knownMs && [...this.#memories.keys()].every((process) => this.#cluster().isHealthy(process, knownMs));
  }

  /** Called when a server starts. */
  begin(process: string, life: string, recent: RecentEvents): void {
    this.#memories.set(process, { life, sinceMs: this.#simulation.nowMs, recent });
  }

  /** Called when a client sends a request. */
  send({ organization, does }: PlannedRequest): Ended {
    this.#open += 1;
    const change: Change = { hides: does.what !== 'show', sentAtMs: this.#simulation.nowMs, answeredAtMs: null, endedAtMs: null, by: null };
    if (does.what === 'show' || does.what === 'hide' || does.what === 'delete') {
      const key = keyOf(organization, does.entity);
      this.#changes.set(key, [...this.#changes.get(key) ?? [], change]);
    }
    const erasure = does.what === 'erase' ? { organization, tag: does.tag, endedAtMs: null as number | null } : null;
    if (erasure !== null) this.#erasures.push(erasure);
    const before = [...this.#answered].filter(([, each]) => each.organization === organization && erasure !== null && each.tags.includes(erasure.tag));
    const end = (): void => {
      this.#open -= 1;
      this.#endedAtMs = this.#simulation.nowMs;
      change.endedAtMs = this.#simulation.nowMs;
      if (erasure !== null) erasure.endedAtMs = this.#simulation.nowMs;
    };
    return {
      answered: (life) => {
        end();
        this.counts['answered']! += 1;
        Object.assign(change, { answeredAtMs: this.#simulation.nowMs, by: life });
        if (does.what === 'interact') for (const id of does.ids) this.#answered.set(id, { tags: does.tags, organization });
        for (const [id] of before) this.#erased.set(id, organization);
        this.#checkErased();
      },
      failed: end,
    };
  }

  /** Called when a server says whether lists contain an entity. */
  tell(process: string, organization: string, entity: string, isHidden: boolean): void {
    this.counts['asked']! += 1;
    const { life, sinceMs } = this.#memories.get(process)!;
    const now = this.#simulation.nowMs;
    const changes = this.#changes.get(keyOf(organization, entity)) ?? [];
    const isKnown = ({ answeredAtMs, by }: Change): boolean => answeredAtMs !== null
      && (by === life || answeredAtMs < sinceMs || (answeredAtMs < now - knownMs && this.#cluster().isHealthy(process, knownMs)));
    const hide = changes.findLast((change) => change.hides && isKnown(change));
    if (hide === undefined || isHidden) return;
    // A request to show that had not ended when the deletion was sent may have taken effect after it.
    if (changes.some((change) => !change.hides && (change.endedAtMs === null || change.endedAtMs >= hide.sentAtMs))) return;
    this.report('A deleted or hidden entity is in no list from the answer on', `${entity} of ${organization}, hidden at ${Math.round(hide.sentAtMs)} ms by ${hide.by}, is shown by ${life}`);
  }

  checkProgress(): void {
    for (const [process, { sinceMs }] of this.#memories) {
      if (this.#cluster().isHealthy(process, 2 * knownMs) && this.#simulation.nowMs - sinceMs > 2 * knownMs) this.#checkMemory(process);
    }
  }

  checkEnds(): void {
    for (const process of this.#memories.keys()) this.#checkMemory(process);
    for (const [id, { organization, tags }] of this.#answered) {
      const times = this.#placesOf(organization, id).length;
      if (times === 0 && !this.#mayBeErased(organization, id, tags)) this.report('An answered event is stored', `${id} of ${organization} with the tags ${tags.join(', ')} is in no batch and no event`);
    }
  }

  report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }

  async #inspect(control: Client, actors: readonly string[]): Promise<void> {
    const { rows: [found] } = await control.query<Seen>({ name: 'inspect events', text: statement });
    const old = this.#seen;
    this.#seen = found!;
    const newest = old.events.at(-1)?.sequence ?? 0;
    const known = new Set(old.events.map(({ sequence }) => sequence));
    const late = found!.events.find(({ sequence }) => sequence <= newest && !known.has(sequence));
    if (late !== undefined) this.report('Numbers of events become visible in ascending order', `${late.sequence} after ${newest}, by ${actors.join(', ')}`);
    for (const { sequence, target } of found!.events) if (sequence > newest) this.#storedAtMs.set(target, this.#simulation.nowMs);
    for (const event of found!.events) if (event.sequence > newest) this.#simulation.story.tell(actors[0]!, `${event.kind} ${event.target} of ${event.organization}${event.available === null ? '' : event.available ? ' (shown)' : ' (hidden)'} is stored as ${event.sequence}`);
    for (const [organization, through] of Object.entries(found!.folds)) {
      if (through === old.folds[organization]) continue;
      this.counts['folded']! += 1;
      this.#simulation.story.tell(actors[0]!, `the events of ${organization} up to ${through} are in batches`);
    }
    if (found!.batches.length < old.batches.length) this.counts['erased']! += 1;
    this.#checkPlaces();
    this.#checkHidden();
    this.#checkErased();
  }

  /** Each event is in exactly one place: among the events after the mark, or in one batch of the same kind and tags. */
  #checkPlaces(): void {
    const places = new Map<string, number>();
    const add = (organization: string, target: string): void => {
      const key = keyOf(organization, target);
      places.set(key, (places.get(key) ?? 0) + 1);
    };
    const { events, batches, folds } = this.#seen;
    const isWaiting = (event: SeenEvent): boolean => event.kind === 'interaction' && event.sequence > (folds[event.organization] ?? 0);
    for (const event of events) if (isWaiting(event)) add(event.organization, event.target);
    for (const batch of batches) if (batch.kind === 'interaction') for (const target of listTargets(this.#store.contentOf(batch.blob)!)) add(batch.organization, target);
    const twice = [...places].find(([, count]) => count > 1);
    if (twice !== undefined) this.report('An event is stored once', `${twice[0]} is in ${twice[1]} places`);
    const folded = events.find((event) => event.kind === 'interaction' && !isWaiting(event) && !places.has(keyOf(event.organization, event.target)) && !this.#mayBeErased(event.organization, event.target, event.tags));
    if (folded !== undefined) this.report('An event up to the mark is in a batch', `${folded.target} of ${folded.organization}, number ${folded.sequence}`);
  }

  #checkHidden(): void {
    const last = new Map<string, boolean>();
    for (const { kind, organization, target, available } of this.#seen.events) if (kind !== 'interaction') last.set(keyOf(organization, target), available === false);
    const hidden = new Set(this.#seen.hidden.map(([organization, entity]) => keyOf(organization, entity)));
    for (const [key, hides] of last) if (hidden.has(key) !== hides) this.report('The last event of an entity decides whether lists contain it', `${key} is ${hides ? 'shown' : 'hidden'}`);
  }

  #checkErased(): void {
    for (const [id, organization] of this.#erased) {
      if (this.#placesOf(organization, id).length > 0) this.report('A deleted event is in no batch, and will be in none', `${id} of ${organization}`);
    }
  }

  /** Whether a request to delete a tag of an event ended after the event was stored. */
  #mayBeErased(organization: string, id: string, tags: readonly string[]): boolean {
    const storedAtMs = this.#storedAtMs.get(id) ?? 0;
    return this.#erasures.some((each) => each.organization === organization && tags.includes(each.tag) && (each.endedAtMs ?? Number.POSITIVE_INFINITY) >= storedAtMs);
  }

  /** What a server remembers equals what is stored, except for what was stored just now. */
  #checkMemory(process: string): void {
    const { recent } = this.#memories.get(process)!;
    for (const organization of ['north', 'south']) {
      const own = recent.of(organization);
      const events = this.#seen.events.filter((event) => event.organization === organization);
      const isNew = ({ target }: SeenEvent): boolean => (this.#storedAtMs.get(target) ?? 0) > this.#simulation.nowMs - knownMs;
      const interactions = events.filter(({ kind }) => kind === 'interaction');
      const remembered = (own.bySource.get('somebody') ?? []).map(({ targetId }) => targetId);
      const least = interactions.filter((event) => !isNew(event)).length;
      if (remembered.length < least || remembered.some((target, at) => target !== interactions[at]?.target)) {
        this.report('A server knows each event once, in order', `${process}, of ${organization}: ${describeDifference(remembered, interactions.map(({ target }) => target))}`);
      }
      if (events.some((event) => event.kind !== 'interaction' && isNew(event))) continue;
      const hidden = this.#seen.hidden.filter(([each]) => each === organization).map(([, entity]) => entity).sort();
      if ([...own.hidden].sort().join() !== hidden.join()) this.report('A server hides what is hidden', `${process}, of ${organization}: ${[...own.hidden].join(', ')} instead of ${hidden.join(', ')}`);
    }
  }

  #placesOf(organization: string, target: string): string[] {
    const { events, batches, folds } = this.#seen;
    const waiting = events.filter((event) => event.organization === organization && event.target === target && event.sequence > (folds[organization] ?? 0));
    const within = batches.filter((batch) => batch.organization === organization && listTargets(this.#store.contentOf(batch.blob)!).includes(target));
    return [...waiting.map(({ sequence }) => String(sequence)), ...within.map(({ id }) => id)];
  }
}

function keyOf(organization: string, entity: string): string {
  return `${entity} of ${organization}`;
}

function describeDifference(found: readonly string[], wanted: readonly string[]): string {
  const at = wanted.findIndex((each, place) => found[place] !== each);
  return `${found.length} events of ${wanted.length}; ${found[at] ?? 'nothing'} instead of ${wanted[at] ?? 'nothing'}`;
}
