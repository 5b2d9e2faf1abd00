import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { Database } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import { openModel } from '../engine/modelFile/openModel.ts';
import { Recommender } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors.ts';
import { unknownModel } from './unknownModel.ts';
import { findServing, modelsChannel, type ServingModel } from '../models/modelStore.ts';

/** An open model while somebody uses it; `release` exactly once. */
export interface HeldModel {
  version: number;
  recommender: Recommender;
  release(): void;
}

interface Entry {
  serving: ServingModel;
  recommender: Recommender;
  users: number;
  retired: boolean;
}

export interface ModelCacheOptions {
  database: Database;
  blobs: Blobs;
  log: Logger;
  /** Models kept open at once; the one used longest ago is closed first. */
  maximumOpen: number;
  /** Status of a model's latest training, for the answer to a query that comes before its first completion. */
  trainingStatus(organizationId: string, modelId: string): Promise<string>;
}

/**
 * Open models by organization and model id. An entry answers until a NOTIFY says that its organization has a new
 * version, so a query needs no database round trip. A model in use is closed only after its last user.
 */
export class ModelCache {
  readonly #options: ModelCacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #opening = new Map<string, Promise<Entry>>();
  /** Counts announcements: what was looked up before one may be outdated after it. */
  #announcements = 0;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(options: ModelCacheOptions) {
    this.#options = options;
  }

  /** Starts to follow announcements. */
  async start(): Promise<void> {
    this.#stopListening = await this.#options.database.listen(modelsChannel, (organizationId) => {
      this.refresh(organizationId);
    });
  }

  /** Forgets what an organization has open, so that the next query looks the version up. */
  refresh(organizationId: string): void {
    this.#announcements += 1;
    for (const [key, entry] of this.#entries) {
      if (entry.serving.organizationId === organizationId) this.#retire(key, entry);
    }
  }

  /** Forgets everything, where announcements may have been missed. */
  refreshAll(): void {
    this.#announcements += 1;
    for (const [key, entry] of this.#entries) this.#retire(key, entry);
  }

  /** Forgets an open model that is older than what the caller has just seen, so that nobody is told of it before it answers. */
  require(organizationId: string, modelId: string, version: number): void {
    const key = `${organizationId}/${modelId}`;
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.serving.version < version) this.#retire(key, entry);
  }

  /** Looks every open model's version up, in case an announcement was lost with its connection. */
  async poll(): Promise<void> {
    for (const [key, entry] of this.#entries) {
      const { organizationId, modelId, version } = entry.serving;
      const serving = await findServing(this.#options.database, organizationId, modelId);
      if (serving === null || serving === 'not-ready' || serving.version !== version) this.#retire(key, entry);
    }
  }

  /** @throws Problem `unknown-model` or `model-not-ready` */
  async hold(organizationId: string, modelId: string): Promise<HeldModel> {
    const key = `${organizationId}/${modelId}`;
    let entry = this.#entries.get(key);
    // An entry can be retired between its opening and here; it is then opened again.
    while (entry === undefined || entry.retired) entry = await this.#open(key, organizationId, modelId);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    let held = true;
    return {
      version: entry.serving.version,
      recommender: entry.recommender,
      release: () => {
        if (!held) return;
        held = false;
        entry.users -= 1;
        if (entry.retired) this.#closeUnused(entry);
      },
    };
  }

  async close(): Promise<void> {
    await this.#stopListening?.();
    this.refreshAll();
  }

  async #open(key: string, organizationId: string, modelId: string): Promise<Entry> {
    const pending = this.#opening.get(key);
    if (pending !== undefined) return pending;
    const announcements = this.#announcements;
    const opening = this.#load(organizationId, modelId);
    this.#opening.set(key, opening);
    try {
      const entry = await opening;
      if (announcements !== this.#announcements) this.#retire(key, entry);
      else this.#entries.set(key, entry);
      this.#evict();
      return entry;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #load(organizationId: string, modelId: string): Promise<Entry> {
    const serving = await findServing(this.#options.database, organizationId, modelId);
    if (serving === null) throw unknownModel(modelId);
    if (serving === 'not-ready') {
      const status = await this.#options.trainingStatus(organizationId, modelId);
      throw recommenderErrors.problem(
        'model-not-ready',
        `The model ${JSON.stringify(modelId)} cannot answer yet: no training of it has completed, and the latest is ` +
          `${JSON.stringify(status)}. GET /v1/recommender/${modelId}/status tells how it stands.`,
      );
    }
    const reader = await openModel(await this.#options.blobs.localPath(serving.blob));
    this.#options.log.info({ model_id: modelId, version: serving.version }, 'model opened');
    return { serving, recommender: new Recommender(reader), users: 0, retired: false };
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#options.maximumOpen) return;
      this.#retire(key, entry);
    }
  }

  #retire(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    if (entry.retired) return;
    entry.retired = true;
    this.#closeUnused(entry);
  }

  #closeUnused(entry: Entry): void {
    if (entry.users > 0) return;
    void entry.recommender.model.close();
  }
}
