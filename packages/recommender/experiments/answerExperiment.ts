import { seededRandom } from '@vouch/platform/process/seededRandom';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Platform } from '@vouch/platform/product/product';
import { answerLists, type ListsAnswer, type ListsRequest } from '../recommendations/answerLists.ts';
import type { ChosenArm, ExperimentAnswers } from '../recommendations/experimentAnswers.ts';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';
import type { ListsBody } from '../recommendations/recommendRequest.schema.ts';
import type { ListServing } from '../recommendations/serving.ts';
import { parsePart } from '../expressions/expressionProblem.ts';
import type { RuleBook, RuleTrial } from '../rules/inForce/ruleBook.ts';
import { chooseArm, hashUser, type ArmName } from './chooseArm.ts';
import type { ArmDefinition } from './experiment.schema.ts';
import type { ExperimentBook } from './experimentBook.ts';
import type { Experiment } from './experimentStore.ts';
import type { ExposureRecorder } from './exposureRecorder.ts';
import { teamDraft } from './teamDraft.ts';

/** Maximum length of the list that arms share, and number of its items whose outcomes count. */
const maxPlaces = 10_000;
const countedItems = 100;

interface AnswerParts {
  platform: Pick<Platform, 'random'>;
  serving: ListServing;
  rules: RuleBook;
  book: ExperimentBook;
  recorder: ExposureRecorder;
}

/** Answers requests for experiments: chooses the arm of the user, or lets both arms share the list, and records the user. */
export class ArmAnswers implements ExperimentAnswers {
  private readonly parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.parts = parts;
  }

  async answer(organizationId: string, id: string, body: ListsBody): Promise<ListsAnswer | null> {
    const experiment = await this.find(organizationId, id);
    if (experiment === null) return null;
    const { entity_id: given = [] } = body;
    const userId = userOf(experiment, typeof given === 'string' ? [given] : given);
    return experiment.definition.mode === 'split' ? this.answerSplit(experiment, userId, body) : this.answerShared(experiment, userId, body);
  }

  async choose(organizationId: string, id: string, users: readonly string[] | null): Promise<ChosenArm | null> {
    const experiment = await this.find(organizationId, id);
    if (experiment === null) return null;
    const { run, definition } = experiment;
    const otherRoute = 'Use POST /v1/recommender/recommend, or the id of a model.';
    if (users === null) throw refused('query:model_id', `model_id is the experiment ${JSON.stringify(id)}, which compares users, and trending items are the same for all users. ${otherRoute}`);
    if (definition.mode === 'interleaved') throw refused('query:model_id', `model_id is the experiment ${JSON.stringify(id)}, whose arms share each list, which this route cannot answer. ${otherRoute}`);
    const userId = userOf(experiment, users);
    const arm = chooseArm(run, userId, definition.share);
    return {
      modelId: definition.arms[arm].model_id, experiment: { id, arm }, trial: this.trialOf(experiment, arm),
      apply: (query) => ({ ...query, model_id: definition.arms[arm].model_id, ...steeredBy(definition.arms[arm], query) }),
      record: (query, empty) => this.parts.recorder.record({ run, userId, arm, empty: empty && isWhole(query) }),
    };
  }

  private async find(organizationId: string, id: string): Promise<Experiment | null> {
    const { book } = this.parts;
    if (!book.isRead) await book.refresh();
    return book.find(organizationId, id);
  }

  private async answerSplit(experiment: Experiment, userId: string, body: ListsBody): Promise<ListsAnswer> {
    const { platform, serving, recorder } = this.parts;
    const { run, definition, id } = experiment;
    const arm = chooseArm(run, userId, definition.share);
    const answer = await answerLists(platform, serving, { ...this.requestOf(experiment, arm, body), experiment: { id, arm } });
    recorder.record({ run, userId, arm, empty: isWhole(body) && answer.text.endsWith('"recommendations":[]}') });
    return answer;
  }

  private async answerShared(experiment: Experiment, userId: string, body: ListsBody): Promise<ListsAnswer> {
    const { platform, serving, recorder } = this.parts;
    const { run, id } = experiment;
    for (const field of ['pinned', 'per_group'] as const) {
      if (body[field] !== undefined) throw refused(`/${field}`, `${field} does not work with the experiment ${JSON.stringify(id)}, because its arms share each list. Leave ${field} out, or use the mode split.`);
    }
    const { offset = 0, max_recommendations: length = 100 } = body;
    const end = Math.min(maxPlaces, offset + length);
    const whole = { ...body, offset: 0, max_recommendations: end };
    const a = await answerLists(platform, serving, { ...this.requestOf(experiment, 'a', whole), experiment: { id, arm: null } });
    const b = await answerLists(platform, serving, this.requestOf(experiment, 'b', whole));
    const [listA, listB] = [a, b].map(({ text }) => JSON.parse(text) as RecommendationsAnswer) as [RecommendationsAnswer, RecommendationsAnswer];
    // The coins of a user are always the same, so that the pages of a list fit together.
    const random = seededRandom(hashUser(run, userId));
    const merged = teamDraft(listA.recommendations, listB.recommendations, { limit: end, idOf: (entry) => entry.target_id, coin: () => random.uniform() < 0.5 });
    const page = merged.slice(offset).map(({ entry, arm }, at) => ({ ...entry, rank: offset + at + 1, arm }));
    const itemsOf = (arm: ArmName): string[] => page.slice(0, countedItems).filter((entry) => entry.arm === arm).map((entry) => entry.target_id);
    recorder.record({ run, userId, arm: null, empty: isWhole(body) && page.length === 0 });
    recorder.recordShared({ run, recommendationId: a.recommendationId, userId, itemsA: itemsOf('a'), itemsB: itemsOf('b') });
    const warnings = [...(listA.warnings ?? []), ...(listB.warnings ?? [])];
    return { ...a, text: JSON.stringify({ ...listA, ...(warnings.length === 0 ? {} : { warnings }), recommendations: page }) };
  }

  /** The request of a user, as an arm changes it. */
  private requestOf(experiment: Experiment, name: ArmName, body: ListsBody): ListsRequest {
    const { organizationId, definition: { arms } } = experiment;
    const modelId = arms[name].model_id;
    return { organizationId, modelId, trial: this.trialOf(experiment, name), body: { ...body, model_id: modelId, ...steeredBy(arms[name], body) } };
  }

  /** The rule of an arm applies in this arm only. */
  private trialOf({ organizationId, definition: { arms } }: Experiment, name: ArmName): RuleTrial {
    const { rule } = arms[name];
    const other = arms[name === 'a' ? 'b' : 'a'].rule;
    const own = rule === null ? null : this.parts.rules.find(organizationId, rule);
    return { ...(own === null ? {} : { with: own }), ...(other === null || other === rule ? {} : { without: other }) };
  }
}

/** Whether a request is for a list from its beginning: a later page may be empty although the list is not. */
function isWhole({ offset = 0 }: { offset?: number }): boolean {
  return offset === 0;
}

/** The expressions of a request and of an arm, joined. @throws Problem invalid-expression if that of the request is none by itself, such as `a) || (b` */
function steeredBy(arm: ArmDefinition, { filter, boost }: { filter?: string; boost?: string }): { filter?: string; boost?: string } {
  return { ...joined('filter', '&&', filter, arm.filter), ...joined('boost', '*', boost, arm.boost) };
}

function joined(field: 'filter' | 'boost', operator: string, given: string | undefined, ofArm: string | null): { filter?: string; boost?: string } {
  if (ofArm === null) return {};
  if (given === undefined) return { [field]: ofArm };
  parsePart(field, given);
  return { [field]: `(${given}) ${operator} (${ofArm})` };
}

/** @throws Problem invalid-parameter unless the request is for exactly one user */
function userOf({ id }: Experiment, ids: readonly string[]): string {
  const [userId] = ids;
  if (userId !== undefined && ids.length === 1) return userId;
  const had = ids.length === 0 ? 'there is no entity_id' : `entity_id has ${ids.length} ids`;
  throw refused('entity_id', `model_id is the experiment ${JSON.stringify(id)}, which compares users, and ${had}. Send the id of one user or visitor as entity_id; with unknown=trending or a history, the model need not know the id.`);
}

function refused(location: string, detail: string): Error {
  return platformErrors.problem('invalid-parameter', detail, { errors: [{ location, detail }] });
}
