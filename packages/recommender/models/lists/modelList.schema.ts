import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { trainingExample } from '../training/training.example.ts';
import { PublicEvaluation, TrainingRecord } from '../training/training.schema.ts';

export const ModelRecord = Type.Object({
  model_id: Type.String(),
  serving_version: nullable(Type.Integer({ description: 'Version that answers queries; null before the first completed training.' })),
  served_since: nullable(Type.String({ format: 'date-time', description: 'When a completed training last made its version answer queries; a rollback does not change this time.' })),
  metrics: nullable(PublicEvaluation),
  training: TrainingRecord,
}, {
  title: 'Model',
  description: 'A model: the version that answers queries with the metrics of its training, and the latest training, which may still run or have failed.',
  examples: [{
    model_id: trainingExample.model_id, serving_version: trainingExample.serving_version, served_since: trainingExample.completed_at,
    metrics: trainingExample.metrics, training: trainingExample,
  }],
});
export type ModelRecord = Static<typeof ModelRecord>;
