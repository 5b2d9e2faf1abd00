import { Problem } from '@vouch/platform/errors/problem';
import type { Platform } from '@vouch/platform/product/product';
import { listAnswers } from '../answers/answerStore.ts';
import type { RecordedAnswer } from '../answers/recordedAnswer.ts';
import type { HeldModel, ModelCache } from '../recommendations/modelCache.ts';
import { rankAgain } from '../recommendations/rankAgain.ts';
import { ruleSetOf, type RuleSet } from '../recommendations/steering/ruleSet.ts';
import { describeFault, type Rule } from './inForce/rule.ts';
import type { RuleBook } from './inForce/ruleBook.ts';
import type { RulePreview } from './preview.schema.ts';
import { PreviewCounts } from './previewCounts.ts';

/** Number of latest answers that are compared. */
const comparedAnswers = 1_000;
/** Time after which no further answer is compared. */
const maxMs = 20_000;

interface PreviewParts {
  platform: Pick<Platform, 'clock' | 'database'>;
  models: ModelCache;
  book: RuleBook;
  /** Resolves when the next answer may be compared; other requests are served before. */
  nextTurn(): Promise<void>;
}

/** An open model, and the rules that apply to its lists without and with the previewed rule. */
interface Trial {
  held: HeldModel;
  without: RuleSet | null;
  with: RuleSet | null;
  /** Whether the rule, perhaps in another form, is in force now. */
  isInForce: boolean;
}

/**
 * Ranks the latest answers of an organization again, without and with a rule. The other rules in force apply to both. Whether the rule is enabled and in its
 * dates does not matter. Other requests are served in between.
 */
export async function previewRule({ platform, models, book, nextTurn }: PreviewParts, rule: Rule): Promise<RulePreview> {
  const { clock, database } = platform;
  const end = clock.now() + maxMs;
  const answers = await listAnswers(database, rule.organizationId, rule.modelId, comparedAnswers);
  const counts = new PreviewCounts();
  const trials = new Map<string, Trial | null>();
  let isComplete = true;
  try {
    for (const answer of answers) {
      if (clock.now() >= end) {
        isComplete = false;
        break;
      }
      if (!trials.has(answer.modelId)) trials.set(answer.modelId, await openTrial(models, book, rule, answer.modelId, counts));
      const trial = trials.get(answer.modelId) ?? null;
      if (trial === null || !compareAnswer(trial, answer, counts)) counts.skipped += 1;
      await nextTurn();
    }
  } finally {
    for (const trial of trials.values()) trial?.held.release();
  }
  return counts.toPreview(rule.name, isComplete);
}

/** Returns null if the model cannot answer any more. */
async function openTrial(models: ModelCache, book: RuleBook, rule: Rule, modelId: string, counts: PreviewCounts): Promise<Trial | null> {
  let held: HeldModel;
  try {
    held = await models.hold(rule.organizationId, modelId);
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
  const { model } = held.recommender;
  const { organizationId, name } = rule;
  const setOf = (rules: readonly Rule[]): RuleSet | null => (rules.length === 0 ? null : ruleSetOf(model, rules));
  const tried = setOf(book.inForce(organizationId, modelId, { with: rule, once: true }));
  const fault = tried?.faultOf(name) ?? null;
  if (fault !== null) counts.warnings.push({ model_id: modelId, model_version: held.version, detail: describeFault(fault) });
  return {
    held, without: setOf(book.inForce(organizationId, modelId, { without: name, once: true })), with: tried,
    isInForce: book.inForce(organizationId, modelId).some((each) => each.name === name),
  };
}

/** Returns false if the answer cannot be ranked any more. */
function compareAnswer(trial: Trial, answer: RecordedAnswer, counts: PreviewCounts): boolean {
  const { recommender } = trial.held;
  try {
    const before = [...rankAgain(recommender, answer.request, trial.without)];
    const after = [...rankAgain(recommender, answer.request, trial.with)];
    counts.add(answer, before, after, { asSent: trial.isInForce ? after : before, nameOf: (id) => recommender.model.names.get(recommender.model.findNode(id)) || null });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return false;
    throw error;
  }
}
