import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { ModelId, PublicParameters, trainOptions } from '../models/training/training.schema.ts';

export const ScheduleParameters = Type.Object({ model_id: ModelId });

const timezone = 'Name of an IANA time zone, such as Europe/Berlin.';
const cron = 'Cron expression with five fields: minute, hour, day of the month, month, day of the week. A time that passes while no server runs starts one training at the next start.';
const afterInteractions = 'Number of new interactions, uploaded as CSV or received by POST /v1/recommender/interactions, after which a training starts. With data_tags, only interactions with one of these tags count.';

export const ScheduleRequest = Type.Object(
  {
    cron: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: cron })),
    timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 100, default: 'UTC', description: timezone })),
    after_interactions: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12, description: afterInteractions })),
    ...trainOptions,
  },
  { title: 'ScheduleRequest', additionalProperties: false, examples: [{ cron: '0 3 * * *', timezone: 'Europe/Berlin', after_interactions: 100_000 }] },
);
export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const ScheduleRecord = Type.Object(
  {
    model_id: Type.String(),
    cron: nullable(Type.String({ description: cron })),
    timezone: Type.String({ description: timezone }),
    after_interactions: nullable(Type.Integer({ description: afterInteractions })),
    next_run_at: nullable(Type.String({ format: 'date-time', description: 'When cron starts the next training; null without cron. In the past while a training of the model is not complete.' })),
    new_interactions: nullable(Type.Integer({ description: 'Interactions since the schedule was made or last started a training, as of the last 10 seconds; null without after_interactions.' })),
    last_run_at: nullable(Type.String({ format: 'date-time', description: 'When the schedule last started a training.' })),
    created_at: Type.String({ format: 'date-time' }),
    callback_url: nullable(Type.String()),
    parameters: PublicParameters,
  },
  {
    title: 'Schedule',
    description: 'When trainings of a model start by themselves.',
    examples: [{
      model_id: 'films', cron: '0 3 * * *', timezone: 'Europe/Berlin', after_interactions: 100_000, next_run_at: '2026-03-03T02:00:00.000Z', new_interactions: 41_770,
      last_run_at: '2026-03-02T02:00:04.100Z', created_at: '2026-02-20T08:15:00.000Z', callback_url: null,
      parameters: { setting: 'auto', seed: 1, data_tags: [], maximum_interaction_age_days: null },
    }],
  },
);
export type ScheduleRecord = Static<typeof ScheduleRecord>;
