import type { SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { compareWork, type WorkReport } from '../harness/compareWork.ts';
import { beginMixedWork } from '../harness/mixedWork.ts';
import { clientOf, listJobs, roundsShape, uploadCatalogue } from '../harness/place.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import type { Balancer } from './balancer.ts';
import { watchFreshness } from './freshness.ts';
import { beginReads, type Read } from './readLoad.ts';

const readsPerSecond = 20;

export interface LoadReport {
  reads: readonly Read[];
  readFaults: readonly string[];
  /** Why requests had to be repeated. */
  repeated: readonly string[];
  /** Milliseconds from the end of each training until every ready server answered with its version. */
  freshMs: readonly number[];
  work: WorkReport;
}

/** Uploads, trainings, video runs, cancels and reads over the servers behind a balancer. */
export interface ClusterLoad {
  /** Sends nothing new, waits until all work has ended, and compares what exists with what was acknowledged. */
  finish(databaseUrl: string): Promise<LoadReport>;
}

/**
 * Uploads a catalogue, trains the model that is read, and begins the load.
 * @param place the balancer as a server
 */
export async function beginClusterLoad(place: VouchPlace, balancer: Balancer, mediaUrl: string, random: SeededRandom): Promise<ClusterLoad> {
  const client = clientOf(place);
  await uploadCatalogue(client, roundsShape);
  await client.train('previous');
  const work = beginMixedWork(place, mediaUrl, random);
  const freshness = watchFreshness(place, balancer);
  const reads = beginReads(`http://127.0.0.1:${place.port}/v1/recommender/related_items?model_id=previous&entity_id=i0`, place.key, readsPerSecond);
  return {
    async finish(databaseUrl) {
      await freshness.finish();
      await work.finish();
      await reads.finish();
      const report = await compareWork(place, work, (await listJobs(place, databaseUrl)).filter(({ subject }) => subject !== freshness.modelId));
      report.faults.push(...freshness.faults);
      return { reads: reads.reads, readFaults: reads.faults, repeated: [...reads.repeated, ...work.repeated], freshMs: freshness.delaysMs, work: report };
    },
  };
}
