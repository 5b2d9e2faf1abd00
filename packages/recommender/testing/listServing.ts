import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Database } from '@vouch/platform/database/database';
import { AnswerRecorder } from '../answers/answerRecorder.ts';
import { AppliedRules } from '../recommendations/appliedRules.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';
import type { ListServing } from '../recommendations/serving.ts';
import { RuleBook } from '../rules/inForce/ruleBook.ts';

/** Serves lists of the given models without rules, and records no answers. */
export function servingOf(models: ModelCache): ListServing {
  const database = { query: async () => ({ rows: [] }) } as unknown as Database;
  const platform = { clock: systemInterfaces.clock, database, log: createLogger('silent') };
  return { models, rules: new AppliedRules(new RuleBook(platform)), answers: new AnswerRecorder(platform, 0) };
}
