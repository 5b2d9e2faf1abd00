import { nullable } from '@vouch/platform/http/nullable';
import { WaitingSchema } from '@vouch/platform/jobs/describeWaiting';
import { tagList, webAddress } from '@vouch/platform/http/parameters';
import { Type, type Static, type TSchema } from 'typebox';
import { columnTypes } from '../../engine/data/column.ts';
import { rankingMetrics, verdictUsers } from '../../engine/data/trainedModel.ts';
import { largestWeight } from '../sql/interactionWeights.ts';
import { ComparisonSchema, EstimateSchema, PublishSchema } from './comparison.schema.ts';
import { OperatorSettingSchema, PublicSetting, SettingRequest } from './operatorSetting.schema.ts';
import { StartedBySchema } from './startedBy.schema.ts';
import { trainingExample } from './training.example.ts';

// Excludes `.` and `..`, because clients remove these segments from URLs, and the names of collections: the status of a model named `schedules`
// would have the URL of the schedule of a model named `status`.
const modelIdPattern = '^(?!(?:\\.{1,2}|schedules|rules|experiments)$)[A-Za-z0-9._-]{1,128}$';

export const ModelId = Type.String({
  pattern: modelIdPattern,
  range: 'text of 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments", which are reserved for other URLs',
  description: 'Identifier of the model: 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments".',
});

const Weights = Type.Record(
  Type.String(),
  Type.Number({ minimum: -largestWeight, maximum: largestWeight, range: `a number from -${largestWeight} to ${largestWeight}` }),
  {
    maxProperties: 1_000,
    range: 'an object with at most 1,000 types and their weights, e.g. {"view": 1, "purchase": 5}',
    description:
      `Weight of one interaction of each type, from -${largestWeight} to ${largestWeight}, e.g. {"view": 1, "purchase": 5, "dislike": -1}. Types with negative weights push away, types with 0 are ignored. Types without an entry count 1; words for a rejection, such as dislike, skip, return and refund, count -1 or -0.5.`,
  },
);

const TrainingParameters = Type.Object(
  {
    setting: Type.Optional(
      Type.Union([Type.Literal('default'), Type.Literal('auto'), SettingRequest], {
        description:
          'Setting of the collaborative operator, "auto" if omitted. With "auto", held-out interactions decide on the exponents, on all_pairs, on the ridge and on how much time orders lists; "default" uses default exponents, and held-out interactions decide on time only, which takes less time; an object fixes everything.',
      }),
    ),
    weights: Type.Optional(Weights),
    recency_half_life_days: Type.Optional(Type.Number({
      minimum: 0.01, maximum: 36_500,
      description: 'Half-life of the weight of interactions in the lists of users: an interaction that is so many days older than the newest one counts half. By default, only the order of the history matters, if held-out interactions show that it does.',
    })),
    trending_half_life_days: Type.Optional(Type.Number({
      minimum: 0.01, maximum: 3_650,
      description: 'Half-life of the interactions that count as recent for trending items. Default: 14 days, or 30 days if the last weeks have under one interaction per item. If items get half of their interactions within a shorter time of the first, and within 15 % of the period of the data, this time, at least a day.',
    })),
    filter: Type.Optional(Type.String({
      maxLength: 4096,
      description: 'Data that the training uses, as an expression in the language of `filter` of recommend: items for which it is not true are left out of the model, with their interactions. `item` is the target of an interaction and `user` its source; a condition on `user` leaves interactions out, and no item. The expression may name each column of the uploaded metadata; the training fails with the nearest column if there is none of the name.',
    })),
    seed: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Seed of every random choice; default 1.' }),
    ),
  },
  { title: 'TrainingParametersRequest', additionalProperties: false },
);
type TrainingParameters = Static<typeof TrainingParameters>;

/** Options of a training, for requests and schedules. */
export const trainOptions = {
  maximum_interaction_age_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description:
        'Maximum age of the interactions that the training uses, counted back from its start. Interactions without a timestamp are always used.',
    }),
  ),
  data_tags: Type.Optional(
    tagList('Restricts the training data to batches that have any of these tags. Empty: all batches.'),
  ),
  callback_url: Type.Optional(
    Type.String({ ...webAddress, maxLength: 2048, description: 'URL that Vouch calls when the training ends, with or without success.' }),
  ),
  publish: Type.Optional(PublishSchema),
  parameters: Type.Optional(TrainingParameters),
};
const TrainOptions = Type.Object(trainOptions);
export type TrainOptions = Static<typeof TrainOptions>;

export const TrainRequest = Type.Object(
  { model_id: Type.Optional(ModelId), ...trainOptions },
  // Initial body of the try-it page; without an example, the page fills in a value for every field, which the server rejects.
  { title: 'TrainRequest', additionalProperties: false, examples: [{ model_id: 'films' }] },
);
export type TrainRequest = Static<typeof TrainRequest>;

const RankingMetricsFields = Object.fromEntries(rankingMetrics.map((name) => [name, EstimateSchema])) as Record<(typeof rankingMetrics)[number], typeof EstimateSchema>;
const RankingMetricsSchema = Type.Object(RankingMetricsFields);

const evaluationFields = {
  ...RankingMetricsFields,
  coverage: Type.Number({ description: 'Share of the recommendable items that are among the first 20 of at least one user.' }),
  popularity: RankingMetricsSchema,
  popularity_difference: Type.Optional(Type.Object(RankingMetricsFields, {
    description: 'Model minus popularity, for each user: the mean over users with its 95 % interval. Absent in trainings of earlier versions.',
  })),
  'item-knn': RankingMetricsSchema,
  users: Type.Integer({ description: 'Users whose held-out interactions were scored.' }),
  verdict: Type.Union([Type.Literal('better than popularity'), Type.Literal('not better than popularity yet')], {
    description: `Better only if the interval of one metric in \`popularity_difference\` is above 0 and that of the other not below 0, with at least ${verdictUsers} users.`,
  }),
};
/** Metrics in the form that trainings store. */
export const EvaluationSchema = Type.Object(evaluationFields);

export const PublicEvaluation = Type.Object(
  {
    ...evaluationFields,
    verdict_reason: Type.String({ description: 'Explanation of the verdict: the differences with their intervals, the number of users, and what to do if the model is not better.' }),
  },
  { title: 'Evaluation', description: 'Offline evaluation. Null until the training completes, and if no user has two interactions, because nothing can then be held out.' },
);

function choiceOf<Setting extends TSchema>(setting: Setting) {
  return Type.Object(
    {
      candidates: Type.Array(
        Type.Object({
          setting: setting,
          'recall@20': Type.Number(),
          'ndcg@20': Type.Number(),
          users: Type.Integer({ description: 'Users whose lists were compared.' }),
        }),
      ),
      chosen: setting,
      users: Type.Integer({ description: 'Users whose held-out interactions decided.' }),
      search: Type.Optional(
        Type.Object(
          {
            settings: Type.Integer({ description: 'Number of settings that the search wanted to try.' }),
            tried: Type.Integer({ description: 'Number of settings that were tried.' }),
            ended: Type.Union([Type.Literal('all were tried'), Type.Literal('its share was used up')]),
            used: Type.Number({ description: 'Work of the search, relative to the work of the factors and lists of the training.' }),
            allowed: Type.Number({ description: 'Maximum of `used`; more than 0.6 for small trainings.' }),
            reach: Type.Optional(
              Type.Number({ description: "Share of the deciding users' held-out items that have a user in common with an item of the history. About 0.3 to 0.5 in sparse data, where settings with all_pairs win." }),
            ),
          },
          { description: 'Progress of the search for exponents; only with the setting "auto".' },
        ),
      ),
    },
    { description: 'Settings that were tried on held-out interactions, and the chosen setting. The interactions are not the ones that `metrics` uses.' },
  );
}

/** A choice in the form that trainings store. */
export const SettingChoiceSchema = choiceOf(OperatorSettingSchema);
export type StoredChoice = Static<typeof SettingChoiceSchema>;

const PublicChoice = choiceOf(PublicSetting);
export type PublicChoice = Static<typeof PublicChoice>;

const typeCounts = {
  types: Type.Integer({ description: 'Number of types.' }),
  by_type: Type.Record(Type.String(), Type.Integer(), { description: 'Rows of the 100 most frequent types.' }),
};
export const DataSummarySchema = Type.Object({
  entities: Type.Object({
    rows: Type.Integer(), distinct: Type.Integer(), ...typeCounts,
    emptied: Type.Optional(Type.Object({ metadata: Type.Integer(), names: Type.Integer() }, { description: 'Entities whose newest row leaves out metadata, or a name, that an older row has. Absent if there is none.' })),
    texts: Type.Optional(Type.Array(
      Type.Object({ column: Type.String(), form: Type.Enum(['number', 'bool', 'date', 'list', 'mixed']), example: Type.String() }),
      { description: 'At most 20 columns of metadata whose texts are numbers, truth values, dates or lists, of up to 20,000 entities that are no sources; `mixed`: numbers with a few texts. Absent if there is none.' },
    )),
    garbled_names: Type.Optional(Type.Object({ count: Type.Integer(), example: Type.String() }, { description: 'Names with characters of another encoding, or with character references of HTML. Absent if there is none.' })),
  }),
  interactions: Type.Object({
    rows: Type.Integer(),
    used: Type.Integer({ description: 'Distinct pairs of source and target that training used as likes.' }),
    disliked: Type.Optional(Type.Integer({ description: 'Distinct pairs of source and target whose interactions push away.' })),
    ...typeCounts,
    weight_by_type: Type.Optional(
      Type.Record(Type.String(), Type.Number(), { description: 'Weight of one interaction of each of these types; a negative weight means dislike.' }),
    ),
    weighed: Type.Optional(
      Type.Object(
        { rows: Type.Integer(), invalid: Type.Integer() },
        { description: `Rows with a \`weight\` in their metadata, and rows whose \`weight\` is not a number from -${largestWeight} to ${largestWeight}.` },
      ),
    ),
    rated: Type.Optional(
      Type.Object(
        {
          rows: Type.Integer(),
          invalid: Type.Integer(),
          scale: nullable(Type.Object({ lowest: Type.Number(), highest: Type.Number() })),
        },
        { description: 'Rows with a `rating` or `stars` in their metadata, rows whose rating is not a number or is outside the scale, and the scale.' },
      ),
    ),
    ignored: Type.Object(
      { too_old: Type.Integer(), repeated: Type.Integer(), self: Type.Integer(), neutral: Type.Optional(Type.Integer()) },
      { description: '`neutral`: distinct pairs with the weight 0.' },
    ),
    with_timestamp: Type.Integer(),
    newest_timestamp: nullable(Type.String()),
    oldest_timestamp: Type.Optional(Type.String({ description: 'Oldest timestamp of the pairs that training used as likes. Absent without timestamps, and in trainings of earlier versions.' })),
    early: Type.Optional(Type.Integer({ description: 'Distinct pairs whose timestamp is in 1970, most likely because its unit is another than seconds or milliseconds. Absent if there is none.' })),
    ids: Type.Optional(Type.Object({
      sources: Type.Integer(), targets: Type.Integer(),
      shared: Type.Integer({ description: 'Ids that are both a source and a target; each is one entity.' }),
      sources_without_entity: Type.Integer(), targets_without_entity: Type.Integer(),
      padded: Type.Optional(Type.Integer({ description: 'Ids of entities and interactions that begin or end with a blank.' })),
      placeholders: Type.Optional(Type.Array(Type.String(), { description: 'Ids that mean a missing value, such as `null`. Absent if there is none.' })),
    }, { description: 'Distinct ids of the pairs that training used. Absent in trainings of earlier versions.' })),
    future: Type.Optional(Type.Integer({ description: 'Distinct pairs whose timestamp is more than a day after the start of the training; they count as of the newest other timestamp. Absent if there is none.' })),
  }),
  batches: Type.Integer(),
  filter: Type.Optional(Type.Object({
    entities: Type.Integer({ description: 'Entities that the filter left out.' }),
    interactions: Type.Integer({ description: 'Distinct pairs of source and target that the filter left out; not counted in `used` and `disliked`.' }),
    columns: Type.Record(Type.String(), Type.Enum([...columnTypes]), { description: 'Types of the metadata columns that the filter names.' }),
  }, { description: 'Effect of the filter of the training; absent without a filter.' })),
}, { title: 'TrainingData' });

function parametersOf<Setting extends TSchema>(setting: Setting) {
  return Type.Object({
    setting: Type.Union([Type.Literal('default'), Type.Literal('auto'), setting]),
    weights: Type.Optional(Type.Record(Type.String(), Type.Number())),
    recency_half_life_days: Type.Optional(Type.Number()),
    trending_half_life_days: Type.Optional(Type.Number()),
    filter: Type.Optional(Type.String()),
    seed: Type.Integer(),
    data_tags: Type.Array(Type.String()),
    maximum_interaction_age_days: nullable(Type.Integer()),
    publish: Type.Optional(PublishSchema),
  });
}

const StoredParameters = parametersOf(OperatorSettingSchema);
/** Parameters of a training in the form that its row and its job store. */
export type StoredParameters = Static<typeof StoredParameters>;

export const PublicParameters = parametersOf(PublicSetting);

const warningCodes = ['unmatched-tag', 'unknown-type', 'invalid-weights', 'invalid-ratings', 'future-timestamps', 'early-timestamps', 'shared-ids', 'ids-without-entity', 'padded-ids', 'placeholder-ids', 'similar-types', 'emptied-entities', 'equal-timestamps', 'missing-timestamps', 'no-likes', 'texts-in-metadata', 'garbled-names', 'only-dislikes', 'no-interactions', 'worse-than-serving'] as const;

export const TrainingWarning = Type.Object({
  code: Type.Enum([...warningCodes], { description: 'Stable name of the warning.' }),
  detail: Type.String(),
}, { title: 'TrainingWarning' });
export type TrainingWarning = Static<typeof TrainingWarning>;

export const TrainingRecord = Type.Object(
  {
    model_id: Type.String(),
    status: Type.Union([
      Type.Literal('queued'),
      Type.Literal('running'),
      Type.Literal('completed'),
      Type.Literal('error'),
      Type.Literal('cancelled'),
    ]),
    stage: nullable(Type.String({ description: 'snapshot, arrays, factors, neighbours, evaluate or write; with Spark also spark-snapshot and spark-candidates' })),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    waiting: nullable(WaitingSchema),
    created_at: Type.String({ format: 'date-time' }),
    started_at: nullable(Type.String({ format: 'date-time' })),
    completed_at: nullable(Type.String({ format: 'date-time' })),
    error: nullable(
      Type.Object(
        { code: Type.String(), title: Type.String(), detail: Type.String(), type: Type.String() },
        { additionalProperties: true },
      ),
    ),
    serving_version: nullable(
      Type.Integer({ description: 'Version that answers queries now; null before the first completed training.' }),
    ),
    metrics: nullable(PublicEvaluation),
    comparison: nullable(ComparisonSchema),
    choice: nullable(PublicChoice),
    data: nullable(DataSummarySchema),
    parameters: PublicParameters,
    schedule: nullable(StartedBySchema),
    warnings: Type.Array(TrainingWarning, { description: 'Likely mistakes: tags of `data_tags` that no batch had when the request arrived, types of `weights` that no interaction has, types that differ in case or blanks only, weights, ratings, timestamps, ids or parameters that have no or an unintended effect, and data without likes. Warnings about the data appear when the training has read the data. `worse-than-serving`: the completed training is measurably worse than the version that served.' }),
  },
  { title: 'Training', examples: [trainingExample], description: 'A training of a model and its result.' },
);
export type TrainingRecord = Static<typeof TrainingRecord>;
