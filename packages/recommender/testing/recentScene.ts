import type { TrainedModel } from '../engine/data/trainedModel.ts';
import type { Ranking } from '../engine/query/ranking.ts';
import { Recommender } from '../engine/query/recommender.ts';
import type { StoredEvent } from '../events/event.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { UploadedFile, type UploadedBatch } from '../events/uploadedFile.ts';
import type { TrainedOn } from '../models/modelStore.ts';
import { RecentView } from '../recommendations/recentView.ts';
import { filmData, trainOn } from './filmData.ts';
import { withModel } from './withModel.ts';

/** Number of films of the model, of which the last ten have no interactions. */
export const films = 120;
const users = 60;

let trained: TrainedModel | null = null;
/** The model of all scenes, trained once per process. */
export function sceneModel(): TrainedModel {
  return trained ??= trainOn(filmData(films, users, 7));
}

export const film = (number: number): string => `film ${String(number).padStart(3, '0')}`;
export const user = (number: number): string => `user ${String(number).padStart(3, '0')}`;
export const options = { types: null, limit: 20, threshold: 0 };

/** What a test does with an open model and what happens after its training. */
export interface Scene {
  recommender: Recommender;
  /** Ids of the list of an entity. */
  list(id: string): string[];
  trending(): string[];
  send(event: Partial<StoredEvent>): void;
  /** Replaces the uploaded files. */
  upload(...files: UploadedFile[]): void;
}

let uploads = 0;
/** An uploaded file of one source. @param interactions the newest first */
export function fileOf(source: string, interactions: [target: string, rest?: { type?: string; time?: number | null; weight?: number; rated?: boolean }][], batch: Partial<UploadedBatch> = {}): UploadedFile {
  uploads += 1;
  const file = new UploadedFile({ batchId: String(uploads), organizationId: 'o', sequence: uploads, blob: '', tags: [], rows: interactions.length, csvBytes: 0, uploadedAt: 1e12, ...batch });
  file.add(interactions.map(([target, { type = 'view', time = 1e12, weight = null, rated = false } = {}]) => [source, target, type, time, weight, rated]));
  file.finish();
  return file;
}

let sequence = 0;
/** Calls `use` with a new scene. */
export async function withScene(use: (scene: Scene) => void | Promise<void>, trainedOn: TrainedOn = { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null }): Promise<void> {
  sequence = 0;
  await withModel(sceneModel(), async (reader) => {
    const recent = new RecentEvents();
    const recommender = new Recommender(reader, new RecentView(reader, recent.of('o'), trainedOn));
    const idsOf = ({ item, count }: Ranking): string[] => Array.from(item.subarray(0, count), (each) => reader.ids.get(reader.itemNode[each] ?? 0));
    await use({
      recommender,
      list: (id) => idsOf(recommender.recommend(reader.findNode(id) < 0 ? id : reader.findNode(id), options)),
      trending: () => idsOf(recommender.trending(options)),
      upload: (...files) => recent.setUploads(new Map([['o', files]])),
      send: (event) => recent.add({
        sequence: sequence += 1, afterBatch: 0, organizationId: 'o', kind: 'interaction', tags: [], targetId: '', sourceId: null, type: 'view', happenedAt: 1e12 + sequence, receivedAt: 1e12 + sequence,
        name: null, metadata: null, mediaUrl: null, available: null, ...event,
      }),
    });
  });
}
