import { startWorker } from '@vouch/platform/jobs/worker';
import type { Product } from '@vouch/platform/product/product';
import { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import { openPlatform } from './openPlatform.ts';
import { requireScratch, workerParts } from './serve.ts';
import { requireOwnStore } from './storeOwnership.ts';

const graceMs = 5_000;

export interface RunningWorker {
  /** Kinds of jobs that this worker runs. */
  kinds: string[];
  /** Describes the PostgreSQL server that the worker uses. */
  postgres: string;
  /** Returns jobs to the queue, closes everything, and logs the reason for the stop and the unfinished work. */
  stop(because?: string): Promise<void>;
}

/** Runs the jobs of the products and sends callbacks, until `stop`. */
export async function work(options: { configuration: Configuration; products: readonly Product[] }): Promise<RunningWorker> {
  const { configuration, products } = options;
  const closers = new Closers();
  try {
    const platform = await openPlatform({ configuration, publicUrl: configuration.public_url ?? '', tables: 'migrate' });
    closers.add(() => platform.close());
    await requireScratch(platform.scratch);
    await requireOwnStore(platform);
    const parts = products.map((product) => product.build(platform, configuration));
    for (const part of parts) closers.add(() => part.close());
    const jobs = parts.flatMap((part) => part.jobs);
    platform.jobs.register(jobs);
    const sender = await platform.webhooks.startSending();
    closers.add(() => sender.close());
    const worker = await startWorker({ ...workerParts(platform), kinds: jobs });
    let givenBack = 0;
    closers.add(async () => { givenBack = await worker.stop(graceMs); });
    const stop = async (because = 'the program itself'): Promise<void> => {
      await closers.close();
      platform.log.info({ because, jobs_given_back: givenBack }, 'stopped');
    };
    return { kinds: jobs.map(({ name }) => name), postgres: platform.postgres, stop };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
