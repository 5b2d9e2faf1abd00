import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { Database } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { openModel } from '../engine/modelFile/openModel.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { unknownModel } from '../errors/unknownModel.ts';
import { upcomingVersionsChannel, findServing, parseUpcoming, type ServingModel } from '../models/modelStore.ts';
import { modelsChannel } from '../models/versions/publishVersion.ts';
import type { RecentEvents } from '../events/recentEvents.ts';
import { LiveModel } from './liveModel.ts';
import { PreparedModel } from './preparedModel.ts';

/** An open model. */
export interface OpenModel {
  version: number;
  /** With what happened since the training. */
  recommender: Recommender;
}

/** An open model in use; the user must call `release` exactly once. */
export interface HeldModel extends OpenModel {
  release(): void;
}

interface Entry {
  live: LiveModel;
  serving: ServingModel;
  users: number;
  retired: boolean;
}

interface ModelCacheOptions {
  database: Database;
  blobs: Blobs;
  log: Logger;
  timers: Timers;
  /** Events since the trainings, which queries take into account. */
  recent: RecentEvents;
  /** Resolves when `recent` contains what was stored before the start. Rejects with a Problem if the database is not available. */
  catchUp(): Promise<void>;
  /** Maximum number of open models; the least recently used model is closed first. */
  maxOpen: number;
  /** Returns the status of a model's latest training, for the answer to a query before the first completed training. */
  trainingStatus(organizationId: string, modelId: string): Promise<string>;
}

/**
 * Open models by organization and model id. An entry serves queries until a newer version, announced by NOTIFY, is open too,
 * so queries need no database round trip and never wait for a new version. A model in use is closed only after its last
 * release.
 */
export class ModelCache {
  private readonly options: ModelCacheOptions;
  private readonly entries = new Map<string, Entry>();
  private readonly opening = new Map<string, Promise<Entry>>();
  /** The latest check for a newer version, by model; checks of one model run one after the other. */
  private readonly renewing = new Map<string, Promise<void>>();
  private readonly upcoming: PreparedModel;
  /** Number of announcements; a version that was looked up before an announcement may be outdated after it. */
  private announcements = 0;
  private stopListening: (() => Promise<unknown>) | null = null;

  constructor(options: ModelCacheOptions) {
    this.options = options;
    this.upcoming = new PreparedModel(options.timers);
  }

  /** Starts listening for announcements. */
  async start(): Promise<void> {
    const { database, blobs } = this.options;
    const silences = await Promise.all([
      database.listen(modelsChannel, (organizationId) => this.refresh(organizationId)),
      database.listen(upcomingVersionsChannel, (text) => {
        const upcoming = parseUpcoming(text);
        const key = upcoming === null ? '' : `${upcoming.organizationId}/${upcoming.modelId}`;
        if (upcoming !== null && this.entries.has(key)) this.upcoming.prepare(key, upcoming.blob, () => blobs.localPath(upcoming.blob));
      }),
    ]);
    this.stopListening = () => Promise.all(silences.map((silence) => silence()));
  }

  /**
   * Looks up the current versions of an organization's open models.
   * @param organizationId empty string for the models of all organizations
   */
  refresh(organizationId: string): void {
    this.announcements += 1;
    for (const [key, entry] of this.entries) {
      if (organizationId === '' || entry.serving.organizationId === organizationId) void this.renew(key);
    }
  }

  /**
   * Resolves when the open model has this version or the version that replaced it, so that a status never shows a version that does not answer yet.
   */
  async require(organizationId: string, modelId: string, version: number): Promise<void> {
    const key = `${organizationId}/${modelId}`;
    // An opening in progress may have looked up another version.
    await this.opening.get(key)?.catch(() => undefined);
    const entry = this.entries.get(key);
    if (entry === undefined || entry.serving.version === version) return;
    await this.renew(key);
    // If the version could not be looked up, the next query opens it.
    if (this.entries.get(key) === entry) this.retire(key, entry);
  }

  /** Looks up the version of every open model, in case an announcement was lost with its connection. */
  async poll(): Promise<void> {
    this.upcoming.poll();
    // Iterates over a copy, because each query moves its model to the end of the map, so a loop over the map itself could be
    // endless.
    for (const key of Array.from(this.entries.keys())) await this.renew(key);
  }

  /**
   * Returns a model that is already open, otherwise null. The model may be used only until the end of the current event loop
   * turn and needs no release.
   */
  peek(organizationId: string, modelId: string): OpenModel | null {
    const key = `${organizationId}/${modelId}`;
    const entry = this.entries.get(key);
    if (entry === undefined || entry.retired) return null;
    if (this.entries.size > 1) this.touch(key, entry);
    return toOpen(entry);
  }

  /** Returns the models of an organization that are open already. They may be used only until the end of the current event loop turn and need no release. */
  peekAll(organizationId: string): OpenModel[] {
    return [...this.entries.values()].filter(({ serving, retired }) => serving.organizationId === organizationId && !retired).map(toOpen);
  }

  /**
   * Returns a model, opening it if necessary.
   * @throws Problem `unknown-model` or `model-not-ready`
   */
  async hold(organizationId: string, modelId: string): Promise<HeldModel> {
    const key = `${organizationId}/${modelId}`;
    let entry = this.entries.get(key);
    // An entry can be retired between its opening and this line; it is then opened again.
    while (entry === undefined || entry.retired) entry = await this.open(key, organizationId, modelId);
    this.touch(key, entry);
    entry.users += 1;
    let held = true;
    return {
      ...toOpen(entry),
      release: () => {
        if (!held) return;
        held = false;
        entry.users -= 1;
        if (entry.retired) this.closeUnused(entry);
      },
    };
  }

  async close(): Promise<void> {
    await this.stopListening?.();
    this.upcoming.close();
    for (const [key, entry] of this.entries) this.retire(key, entry);
  }

  private async renew(key: string): Promise<void> {
    const renewing = (this.renewing.get(key) ?? Promise.resolve()).then(() => this.renewNow(key)).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'the version of a model cannot be looked up');
    });
    this.renewing.set(key, renewing);
    await renewing;
    if (this.renewing.get(key) === renewing) this.renewing.delete(key);
  }

  /** Opens the serving version and replaces the older version. */
  private async renewNow(key: string): Promise<void> {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    const { organizationId, modelId, version } = entry.serving;
    const serving = await findServing(this.options.database, organizationId, modelId);
    if (serving === null || serving === 'not-ready') return this.retire(key, entry);
    if (serving.version === version) return;
    try {
      const newer = await this.openVersion(key, serving);
      if (this.entries.get(key) === entry) this.entries.set(key, newer);
      else this.retire(key, newer);
    } finally {
      // The entry is also retired if the newer version cannot be opened; queries then get the error.
      this.retire(key, entry);
    }
  }

  private async open(key: string, organizationId: string, modelId: string): Promise<Entry> {
    const pending = this.opening.get(key);
    if (pending !== undefined) return pending;
    const announcements = this.announcements;
    const opening = this.load(key, organizationId, modelId);
    this.opening.set(key, opening);
    try {
      const entry = await opening;
      this.entries.set(key, entry);
      this.evict();
      if (announcements !== this.announcements) void this.renew(key);
      return entry;
    } finally {
      this.opening.delete(key);
    }
  }

  private async load(key: string, organizationId: string, modelId: string): Promise<Entry> {
    const serving = await findServing(this.options.database, organizationId, modelId);
    if (serving === null) throw await unknownModel(this.options.database, organizationId, modelId);
    if (serving === 'not-ready') {
      const status = await this.options.trainingStatus(organizationId, modelId);
      throw recommenderErrors.problem(
        'model-not-ready',
        `The model ${JSON.stringify(modelId)} cannot answer yet: no training of it has completed, and the latest is ` +
          `${JSON.stringify(status)}. GET /v1/recommender/${modelId}/status returns its progress.`,
      );
    }
    return this.openVersion(key, serving);
  }

  private async openVersion(key: string, serving: ServingModel): Promise<Entry> {
    const { blobs, log, recent, catchUp } = this.options;
    await catchUp();
    const reader = (await this.upcoming.take(key, serving.blob)) ?? (await openModel(await blobs.localPath(serving.blob)));
    log.info({ model_id: serving.modelId, version: serving.version }, 'model opened');
    return { serving, live: new LiveModel(reader, recent.of(serving.organizationId), serving.trainedOn), users: 0, retired: false };
  }

  /** Marks an entry as most recently used, so that it is closed last. */
  private touch(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private evict(): void {
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= this.options.maxOpen) return;
      this.retire(key, entry);
    }
  }

  private retire(key: string, entry: Entry): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
    if (entry.retired) return;
    entry.retired = true;
    this.closeUnused(entry);
  }

  private closeUnused(entry: Entry): void {
    if (entry.users > 0) return;
    void entry.live.close();
  }
}

function toOpen({ serving, live }: Entry): OpenModel {
  return { version: serving.version, recommender: live.current() };
}
