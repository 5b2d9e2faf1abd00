import type { Platform } from '@vouch/platform/product/product';
import type { RuleTrial } from '../rules/inForce/ruleBook.ts';
import type { ExperimentMember } from './recommendation.schema.ts';
import type { ListsBody } from './recommendRequest.schema.ts';
import type { ListServing } from './serving.ts';
import { writeLists } from './writeLists.ts';

export interface ListsRequest {
  organizationId: string;
  modelId: string;
  body: ListsBody;
  /** The arm of an experiment that the answer names. */
  experiment?: ExperimentMember;
  /** Differences from the rules in force. */
  trial?: RuleTrial;
}

/** An answer as JSON. */
export interface ListsAnswer {
  text: string;
  recommendationId: string;
  /** Version of the model that answered. */
  version: number;
}

/**
 * Answers a request from one model, and records the answer for previews of rules.
 * @throws Problem unknown-model, model-not-ready, unknown-entity, invalid-expression, expression-too-expensive or invalid-parameter
 */
export async function answerLists(
  { random }: Pick<Platform, 'random'>, { models, rules, answers }: ListServing, { organizationId, modelId, body, experiment, trial }: ListsRequest,
): Promise<ListsAnswer> {
  if (!rules.isRead) await rules.read();
  const held = await models.hold(organizationId, modelId);
  try {
    const recommendationId = random.uuid();
    const recording = answers.begin(organizationId);
    const text = writeLists(held, modelId, recommendationId, body, { rules: rules.of(organizationId, modelId, held, trial), recording, experiment });
    answers.end(recording, { organizationId, recommendationId, modelId, modelVersion: held.version, request: { route: 'recommend', parameters: body } });
    return { text, recommendationId, version: held.version };
  } finally {
    held.release();
  }
}
