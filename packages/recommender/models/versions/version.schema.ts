import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { ComparisonSchema } from '../training/comparison.schema.ts';
import { PublicEvaluation, PublicParameters } from '../training/training.schema.ts';
import { trainingExample } from '../training/training.example.ts';

export const VersionRecord = Type.Object(
  {
    model_id: Type.String(),
    version: Type.Integer({ description: 'Number of the version, as in the header `x-model-version` of its answers.' }),
    serving: Type.Boolean({ description: 'Whether the version answers queries.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the training completed.' }),
    metrics: nullable(PublicEvaluation),
    comparison: nullable(ComparisonSchema),
    parameters: nullable(PublicParameters),
  },
  {
    title: 'ModelVersion',
    description: 'A version of a model that can answer queries.',
    examples: [{
      model_id: 'films', version: 3, serving: true, created_at: '2026-03-02T09:31:04.800Z', metrics: trainingExample.metrics, comparison: null,
      parameters: trainingExample.parameters,
    }],
  },
);
export type VersionRecord = Static<typeof VersionRecord>;

export const RollbackRequest = Type.Object(
  {
    version: Type.Optional(Type.Integer({
      minimum: 1, maximum: 2 ** 31 - 1, description: 'Version that serves from now on, older or newer. Default: the newest older version that answered queries.',
    })),
  },
  { title: 'RollbackRequest', additionalProperties: false, examples: [{ version: 2 }] },
);
