import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';
import { listRules } from '../rules/inForce/ruleStore.ts';
import { warnOfArms } from './armWarnings.ts';
import { ExperimentParameters, ExperimentRecord, ExperimentRequest } from './experiment.schema.ts';
import type { ExperimentBook } from './experimentBook.ts';
import { resultsOf } from './experimentResults.ts';
import { ExperimentResults } from './experimentResults.schema.ts';
import { deleteExperiment, findExperiment, listExperiments, maxExperiments, putExperiment, type Experiment } from './experimentStore.ts';
import { readCounts } from './outcomeStore.ts';
import { checkArm, readExperiment } from './readExperiment.ts';

const path = '/v1/recommender/experiments/:id';

interface ExperimentParts {
  models: ModelCache;
  book: ExperimentBook;
}

/** Routes of /v1/recommender/experiments. */
export function experimentRoutes(server: FastifyInstance, platform: Pick<Platform, 'clock' | 'database' | 'random'>, { models, book }: ExperimentParts): void {
  const { clock, database, random } = platform;

  typed(server).put(path, {
    config: { scope: 'model:train', problems: ['too-many-experiments', 'unknown-model', 'unknown-rule', 'model-not-ready', 'invalid-expression', 'storage-unavailable'] },
    schema: {
      operationId: 'putExperiment',
      summary: 'Make or replace an experiment',
      description: 'The id of the experiment can be used as `model_id` of POST /v1/recommender/recommend and of GET /v1/recommender/related_items: each user then gets the lists of one arm, or lists of both. Interactions that arrive at POST /v1/recommender/interactions count as outcomes, and in the mode split also the rows with a timestamp of files uploaded after the start. Another definition starts the experiment over: users are split anew, and earlier users and outcomes no longer count. The same definition changes nothing.',
      tags: ['recommender'],
      params: ExperimentParameters,
      body: ExperimentRequest,
      response: { 200: ExperimentRecord },
    },
  }, async (request) => {
    const { organizationId } = request.identity;
    const { id } = request.params;
    const definition = await readExperiment({ platform, models }, organizationId, id, request.body);
    const experiment = { organizationId, id, run: random.uuid(), definition, startedAt: new Date(clock.now()) };
    const stored = await database.transaction((transaction) => putExperiment(transaction, experiment));
    if (stored === null) {
      throw recommenderErrors.problem('too-many-experiments', `The organization has ${maxExperiments} experiments, the maximum, and none has the id ${JSON.stringify(id)}. Delete one that is no longer used.`);
    }
    await book.refresh();
    return toRecord(stored);
  });

  typed(server).get('/v1/recommender/experiments', {
    config: { scope: 'model:read' },
    schema: { operationId: 'listExperiments', summary: 'List the experiments', description: 'Returns the experiments of the organization, by id.', tags: ['recommender'], response: { 200: Type.Array(ExperimentRecord) } },
  }, async (request) => (await listExperiments(database, request.identity.organizationId)).map(toRecord));

  typed(server).get(path, {
    config: { scope: 'model:read', problems: ['unknown-experiment'] },
    schema: { operationId: 'getExperiment', summary: 'One experiment', tags: ['recommender'], params: ExperimentParameters, response: { 200: ExperimentRecord } },
  }, async (request) => toRecord(known(await findExperiment(database, request.identity.organizationId, request.params.id), request.params.id)));

  typed(server).get(`${path}/results`, {
    config: { scope: 'model:read', problems: ['unknown-experiment'] },
    schema: {
      operationId: 'getExperimentResults',
      summary: 'Results of an experiment',
      description: 'Returns users and outcomes by arm, how the arms compare, and a verdict. Results may be read at any time, and an experiment may end with the first verdict: intervals and verdict are those of a sequential test (mixture sequential probability ratio test, 5 %), so reading often does not produce differences that are not there.',
      tags: ['recommender'],
      params: ExperimentParameters,
      response: { 200: ExperimentResults },
    },
  }, async (request) => {
    const { organizationId } = request.identity;
    const experiment = known(await findExperiment(database, organizationId, request.params.id), request.params.id);
    const results = resultsOf(experiment, await readCounts(database, experiment.run));
    const warnings = await warnOfArms(experiment, await listRules(database, [organizationId]), (arm, name) => checkArm({ platform, models }, organizationId, arm, name));
    return { ...results, warnings: [...results.warnings, ...warnings] };
  });

  typed(server).delete(path, {
    config: { scope: 'model:train', problems: ['unknown-experiment'] },
    schema: {
      operationId: 'deleteExperiment', summary: 'Delete an experiment', description: 'Returns the deleted experiment. Requests with its id as model_id fail from now on. To keep the id in use after the experiment, set `share` to 0 or 1 instead.',
      tags: ['recommender'], params: ExperimentParameters, response: { 200: ExperimentRecord },
    },
  }, async (request) => {
    const { organizationId } = request.identity;
    const deleted = known(await database.transaction((transaction) => deleteExperiment(transaction, organizationId, request.params.id)), request.params.id);
    await book.refresh();
    return toRecord(deleted);
  });
}

/** @throws Problem unknown-experiment */
function known(experiment: Experiment | null, id: string): Experiment {
  if (experiment !== null) return experiment;
  throw recommenderErrors.problem('unknown-experiment', `The organization has no experiment ${JSON.stringify(id)}. PUT /v1/recommender/experiments/${id} makes one.`);
}

function toRecord({ id, definition, startedAt }: Experiment): ExperimentRecord {
  return { experiment_id: id, ...definition, started_at: startedAt.toISOString() };
}
