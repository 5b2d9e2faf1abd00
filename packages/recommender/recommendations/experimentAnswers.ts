import type { RuleTrial } from '../rules/inForce/ruleBook.ts';
import type { ListsAnswer } from './answerLists.ts';
import type { ExperimentMember } from './recommendation.schema.ts';
import type { ListsBody } from './recommendRequest.schema.ts';

/** Model and expressions of a request. */
interface Asked {
  model_id: string;
  filter?: string;
  boost?: string;
}

/** The arm of an experiment that answers a request for one user. */
export interface ChosenArm {
  modelId: string;
  experiment: ExperimentMember;
  /** Differences from the rules in force. */
  trial: RuleTrial;
  /** The request with the model and the expressions of the arm. */
  apply<Query extends Asked>(query: Query): Query;
  /** Records that the user got an answer. @param empty whether the answer had no items */
  record(query: { offset?: number }, empty: boolean): void;
}

/** Answers requests whose model id is that of an experiment. */
export interface ExperimentAnswers {
  /** @returns null if there is no experiment with this id */
  answer(organizationId: string, id: string, body: ListsBody): Promise<ListsAnswer | null>;
  /**
   * Chooses the arm for a route that lists items from one model.
   * @param users entities of the request; null if the route has none
   * @returns null if there is no experiment with this id
   * @throws Problem invalid-parameter unless the request is for one user and the experiment splits users
   */
  choose(organizationId: string, id: string, users: readonly string[] | null): Promise<ChosenArm | null>;
}
