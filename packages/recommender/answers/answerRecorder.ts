import { repeat, type Background } from '@vouch/platform/process/repeat';
import { isDue } from '@vouch/platform/process/isDue';
import type { Platform } from '@vouch/platform/product/product';
import { delayErasures } from '../erasure/erasureLock.ts';
import { insertAnswers, removeAnswersBefore, removeOlderAnswers, type NewAnswer } from './answerStore.ts';
import { entitiesOf, ListRecording, type RecordedAnswer } from './recordedAnswer.ts';

/** Time between two transactions. */
const flushMs = 1_000;
/** Maximum number of answers that one process records between two transactions, per organization and in total. */
const answersPerFlush = 20;
const waitingAnswers = 1_000;
/** A longer request, an answer with more lists and lists with longer ids are not recorded. */
const maxRequestCharacters = 16_384;
const maxLists = 8;
const maxListCharacters = 65_536;
/** Number of stored answers of an organization after which the process removes older answers. */
const removeAfter = 100;
/** Time after which an answer is deleted, whether or not newer answers exist. */
const keptMs = 30 * 86_400_000;
const expiryMs = 3_600_000;

type RecorderPlatform = Pick<Platform, 'clock' | 'database' | 'log'>;

/**
 * Records a sample of the answers of each organization: up to 20 a second in each process. Answers wait in memory for at most a second, and are then stored
 * in one statement. An answer never waits for the recording, and a crash or an unavailable database loses the answers that wait.
 */
export class AnswerRecorder {
  private readonly platform: RecorderPlatform;
  private readonly kept: number;
  private waiting: NewAnswer[] = [];
  /** Number of answers since the last transaction, by organization. */
  private readonly taken = new Map<string, number>();
  /** Number of answers stored since older answers were removed, by organization. */
  private readonly stored = new Map<string, number>();
  private expiredAt = 0;
  private flushing = Promise.resolve();

  /** @param kept number of answers that are kept per organization; 0 to record none */
  constructor(platform: RecorderPlatform, kept: number) {
    this.platform = platform;
    this.kept = kept;
  }

  /** Begins the recording of an answer; null if the answer is not in the sample. */
  begin(organizationId: string): ListRecording | null {
    if (this.kept === 0 || this.waiting.length >= waitingAnswers) return null;
    const taken = this.taken.get(organizationId) ?? 0;
    if (taken >= answersPerFlush) return null;
    this.taken.set(organizationId, taken + 1);
    return new ListRecording();
  }

  /** Records an answer. @param recording null if the answer is not in the sample */
  end(recording: ListRecording | null, answer: Omit<RecordedAnswer, 'lists' | 'answeredAt'>): void {
    if (recording === null || recording.lists.length > maxLists) return;
    const request = JSON.stringify(answer.request);
    const lists = JSON.stringify(recording.lists);
    if (request.length > maxRequestCharacters || lists.length > maxListCharacters) return;
    this.waiting.push({ ...answer, request, lists, entityIds: entitiesOf(answer.request, recording.lists), answeredAt: new Date(this.platform.clock.now()) });
  }

  /**
   * Stores the answers that wait, and removes old answers. Resolves when all answers of before are stored, also those that an earlier call is storing. Does not
   * throw: answers that cannot be stored are lost.
   */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.storeWaiting());
    return this.flushing;
  }

  private async storeWaiting(): Promise<void> {
    const answers = this.waiting;
    this.waiting = [];
    this.taken.clear();
    try {
      if (answers.length > 0) await this.store(answers);
      await this.expire();
    } catch (error) {
      this.platform.log.warn({ err: error, answers: answers.length }, 'answers could not be recorded for previews of rules');
    }
  }

  private async store(answers: readonly NewAnswer[]): Promise<void> {
    const { database } = this.platform;
    await database.transaction(async (transaction) => {
      await delayErasures(transaction);
      await insertAnswers(transaction, answers);
    });
    for (const { organizationId } of answers) this.stored.set(organizationId, (this.stored.get(organizationId) ?? 0) + 1);
    for (const [organizationId, count] of this.stored) {
      if (count < removeAfter) continue;
      this.stored.delete(organizationId);
      await removeOlderAnswers(database, organizationId, this.kept);
    }
  }

  private async expire(): Promise<void> {
    const now = this.platform.clock.now();
    if (!isDue(this.expiredAt + expiryMs, expiryMs, now)) return;
    this.expiredAt = now;
    await removeAnswersBefore(this.platform.database, new Date(this.kept === 0 ? now : now - keptMs));
  }
}

/** Stores recorded answers every second until `stop` is called, which stores the last ones. */
export function recordAnswers({ timers }: Pick<Platform, 'timers'>, recorder: AnswerRecorder): Background {
  const repeating = repeat(timers, flushMs, () => recorder.flush());
  return {
    async stop() {
      await repeating.stop();
      await recorder.flush();
    },
  };
}
