import type { Platform } from '@vouch/platform/product/product';
import { AnswerRecorder } from '../answers/answerRecorder.ts';
import { EventFollower } from '../events/followEvents.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { findTraining } from '../models/modelStore.ts';
import { RuleBook } from '../rules/inForce/ruleBook.ts';
import { AppliedRules } from './appliedRules.ts';
import { ModelCache } from './modelCache.ts';

/** Maximum number of open models; each keeps up to 256 MB in memory, so all take at most 2 GB. */
const maxOpen = 8;
const pollMs = 5_000;

/** What routes with lists need. */
export interface ListServing {
  models: ModelCache;
  rules: AppliedRules;
  answers: AnswerRecorder;
}

interface Serving extends ListServing {
  recent: RecentEvents;
  follower: EventFollower;
  book: RuleBook;
  close(): Promise<void>;
}

/**
 * Starts the cache of open models, which is kept up to date until `close` is called.
 * @param recordedAnswers number of answers per organization that are kept for previews of rules
 */
export function startServing(platform: Platform, recordedAnswers: number): Serving {
  const { database, blobs, log, timers } = platform;
  const recent = new RecentEvents();
  const follower = new EventFollower(platform, recent);
  const models = new ModelCache({
    recent,
    catchUp: () => follower.catchUp(),
    database,
    blobs,
    log,
    timers,
    maxOpen,
    async trainingStatus(organizationId, modelId) {
      const training = await findTraining(database, organizationId, modelId);
      const job = training === null ? null : await platform.jobs.get(organizationId, training.jobId);
      return job?.status ?? 'unknown';
    },
  });
  const book = new RuleBook(platform);
  const stopping = new AbortController();
  const following = follow();

  async function follow(): Promise<void> {
    await models.start().catch((error: unknown) => log.warn({ err: error }, 'announcements of models cannot be heard; polling'));
    while (!stopping.signal.aborted) {
      await timers.sleep(pollMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await models.poll().catch((error: unknown) => log.warn({ err: error }, 'versions of models cannot be looked up'));
    }
  }

  return {
    models,
    recent,
    follower,
    book,
    rules: new AppliedRules(book),
    answers: new AnswerRecorder(platform, recordedAnswers),
    async close() {
      stopping.abort();
      await following;
      await models.close();
    },
  };
}
