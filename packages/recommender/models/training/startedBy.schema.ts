import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';

/** Why a schedule started a training. */
export const StartedBySchema = Type.Object(
  {
    cron: nullable(Type.String({ description: 'Cron expression that was due; null if interactions started the training.' })),
    due_at: nullable(Type.String({ format: 'date-time', description: 'When the cron expression was due; before `created_at` if no server was running or a training of the model was not complete.' })),
    new_interactions: Type.Integer({ description: 'Interactions received since the schedule was made or last started a training.' }),
  },
  { title: 'StartedBySchedule', description: 'Schedule of the model that started the training; null if a request started the training.' },
);
export type StartedBy = Static<typeof StartedBySchema>;
