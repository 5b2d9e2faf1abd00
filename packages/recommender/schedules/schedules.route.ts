import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { typed } from '@vouch/platform/http/request';
import { refuseAddresses } from '@vouch/platform/outbound/refuseAddresses';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { toPublicParameters } from '../models/modelStore.ts';
import { refuseExperimentId, toStoredParameters } from '../models/startTraining.ts';
import { isTimezone, nextDue } from './cron.ts';
import { ScheduleParameters, ScheduleRecord, ScheduleRequest } from './schedule.schema.ts';
import { deleteSchedule, findSchedule, listSchedules, putSchedule, type Schedule } from './scheduleStore.ts';

const path = '/v1/recommender/schedules/:model_id';

/** Routes of /v1/recommender/schedules. */
export function scheduleRoutes(server: FastifyInstance, platform: Pick<Platform, 'clock' | 'database' | 'webhooks'>, settings: Pick<RecommenderSettings, 'spark_submit'>): void {
  const { clock, database } = platform;

  typed(server).put(path, {
    config: { scope: 'model:train', problems: ['address-refused', 'empty-schedule'] },
    schema: {
      operationId: 'putSchedule',
      summary: 'Schedule trainings of a model',
      description: 'Makes or replaces the schedule of a model: trainings start at the times of `cron`, after `after_interactions` new interactions, or whichever comes first. The other fields are options of the trainings, as for POST /v1/recommender/train. A training starts once, however many servers run. While a training of the model is not complete, no other starts.',
      tags: ['recommender'],
      params: ScheduleParameters,
      body: ScheduleRequest,
      response: { 200: ScheduleRecord },
    },
  }, async (request) => {
    const { cron = null, timezone = 'UTC', after_interactions: afterInteractions = null, callback_url: callbackUrl = null, ...options } = request.body;
    if (cron === null && afterInteractions === null) throw recommenderErrors.problem('empty-schedule', 'Neither cron nor after_interactions is given, so the schedule would start no training. Send one of them, or both.');
    if (!isTimezone(timezone)) throw invalid('/timezone', timezone, `timezone is ${JSON.stringify(timezone)}, which is not an IANA time zone; use a name such as "Europe/Berlin" or "UTC".`);
    refuseAddresses([{ location: '/callback_url', address: callbackUrl, check: (url) => platform.webhooks.checkUrl(url) }]);
    const { organizationId } = request.identity;
    const { model_id: modelId } = request.params;
    await refuseExperimentId(database, organizationId, modelId, 'path:model_id');
    const now = clock.now();
    return toRecord(await putSchedule(database, {
      organizationId,
      modelId,
      cron,
      timezone,
      afterInteractions,
      training: { parameters: toStoredParameters(options, settings), callbackUrl },
      nextRunAt: cron === null ? null : parseCron(cron, timezone, now),
      createdAt: new Date(now),
    }));
  });

  typed(server).get('/v1/recommender/schedules', {
    config: { scope: 'model:read' },
    schema: {
      operationId: 'listSchedules', summary: 'List the schedules of trainings', description: 'Returns the schedules of all models, by model id.',
      tags: ['recommender'], response: { 200: Type.Array(ScheduleRecord) },
    },
  }, async (request) => (await listSchedules(database, request.identity.organizationId)).map(toRecord));

  typed(server).get(path, {
    config: { scope: 'model:read', problems: ['unknown-schedule'] },
    schema: { operationId: 'getSchedule', summary: 'Schedule of a model', tags: ['recommender'], params: ScheduleParameters, response: { 200: ScheduleRecord } },
  }, async (request) => {
    const modelId = request.params.model_id;
    return toRecord(known(await findSchedule(database, request.identity.organizationId, modelId), modelId));
  });

  typed(server).delete(path, {
    config: { scope: 'model:train', problems: ['unknown-schedule'] },
    schema: {
      operationId: 'deleteSchedule', summary: 'Delete the schedule of a model', description: 'Returns the deleted schedule. Trainings that it started continue.',
      tags: ['recommender'], params: ScheduleParameters, response: { 200: ScheduleRecord },
    },
  }, async (request) => {
    const modelId = request.params.model_id;
    return toRecord(known(await deleteSchedule(database, request.identity.organizationId, modelId), modelId));
  });
}

/** @throws Problem `invalid-parameter` */
function parseCron(cron: string, timezone: string, now: number): Date {
  const shown = `cron is ${JSON.stringify(cron)}`;
  let due: number | null;
  try {
    due = nextDue(cron, timezone, now);
  } catch (error) {
    const fields = cron.trim().split(/\s+/).length;
    const reason = fields === 5 ? (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '') : `it has ${fields} ${fields === 1 ? 'field' : 'fields'}`;
    throw invalid('/cron', cron, `${shown}, which is not a cron expression: ${reason}. An expression has five fields: minute, hour, day of the month, month, day of the week, such as "0 3 * * *".`);
  }
  if (due === null) throw invalid('/cron', cron, `${shown}, which is never due; check the day and the month.`);
  return new Date(due);
}

function invalid(location: string, value: string, detail: string): Error {
  return platformErrors.problem('invalid-parameter', detail, { errors: [{ location, detail, value }] });
}

function known(schedule: Schedule | null, modelId: string): Schedule {
  if (schedule !== null) return schedule;
  throw recommenderErrors.problem('unknown-schedule', `The model ${JSON.stringify(modelId)} has no schedule. PUT /v1/recommender/schedules/${modelId} makes one.`);
}

function toRecord(schedule: Schedule): ScheduleRecord {
  return {
    model_id: schedule.modelId,
    cron: schedule.cron,
    timezone: schedule.timezone,
    after_interactions: schedule.afterInteractions,
    next_run_at: schedule.nextRunAt?.toISOString() ?? null,
    new_interactions: schedule.afterInteractions === null ? null : schedule.newInteractions,
    last_run_at: schedule.lastRunAt?.toISOString() ?? null,
    created_at: schedule.createdAt.toISOString(),
    callback_url: schedule.training.callbackUrl,
    parameters: toPublicParameters(schedule.training.parameters),
  };
}
