import { Type, type Static } from 'typebox';

export const EstimateSchema = Type.Object(
  { value: Type.Number(), low: Type.Number(), high: Type.Number() },
  { title: 'Estimate', description: 'Value with its 95 % interval.' },
);

/** When a completed training serves. */
export const PublishSchema = Type.Enum(['always', 'unless-worse'], {
  description:
    'Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves.',
});

/** How a completed training compares with the version that served at that time. */
export const ComparisonSchema = Type.Object(
  {
    version: Type.Integer({ description: 'Version that the training made.' }),
    with_version: Type.Integer({ description: 'Version that served when the training completed.' }),
    verdict: Type.Enum(['better', 'no measurable difference', 'worse', 'not comparable']),
    reason: Type.String(),
    'recall@20': Type.Optional(EstimateSchema),
    'ndcg@20': Type.Optional(EstimateSchema),
    serves: Type.Boolean({ description: 'Whether the training replaced the version that served.' }),
  },
  {
    title: 'VersionComparison',
    description:
      "Comparison with the version that served when the training completed, by the metrics of both: each hides the last tenth of every user's interactions in its own data. `recall@20` and `ndcg@20` are differences, positive if the new version is better. Null for the first version.",
  },
);
export type Comparison = Static<typeof ComparisonSchema>;
