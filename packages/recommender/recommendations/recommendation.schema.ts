import { nullable } from '@vouch/platform/http/nullable';
import { identifierList } from '@vouch/platform/http/parameters';
import { Type, type Static } from 'typebox';
import { recommendationsExample } from './recommendation.example.ts';

/** The parameter `model_id` of queries that need no model. */
export const optionalModelId = Type.Optional(Type.String({ description: 'Model to query; by default the one that completed most recently.' }));

export const ReasonSchema = Type.Object({
  kind: Type.Union([
    Type.Literal('co_interaction'),
    Type.Literal('attribute'),
    Type.Literal('history'),
    Type.Literal('trending'),
  ]),
  text: Type.String({
    description: 'The reason as a sentence for readers of the list, with the names of items. A sentence never names a user.',
    examples: ['Chosen by 57 people who also chose “Heat (1995)”.'],
  }),
  ids: Type.Optional(Type.Array(Type.String(), { description: 'The first few users or items that the reason names.' })),
  through: Type.Optional(
    Type.String({
      description:
        'Only for co_interaction: a third item, related to the source, that the users have together with the recommended item. Absent if the users have the source itself.',
    }),
  ),
  field: Type.Optional(Type.String({ description: 'Metadata field of an attribute.' })),
  value: Type.Optional(Type.String({ description: 'Value of this field in both items; for a number, the range that contains the values of both items.' })),
  word: Type.Optional(Type.Literal(true, { description: 'Only where `value` is one word of a name, or of a text of more than 64 characters. The rest of the text can differ.' })),
  together_with: Type.Optional(Type.Array(Type.Object({ field: Type.String(), value: Type.String(), word: Type.Optional(Type.Literal(true)) }), {
    description: 'Further attributes of both items, where no attribute carries the score alone: the share would disappear without all of them.',
  })),
  count: Type.Optional(Type.Integer({ description: 'Number of users or items of the reason, including the ones that `ids` does not name.' })),
  share: Type.Number({
    minimum: 0.05,
    maximum: 1,
    description: 'Share of the ranking score that would disappear without this reason.',
  }),
}, { title: 'Reason' });

const RecommendationSchema = Type.Object({
  source_id: nullable(Type.String()),
  target_id: Type.String(),
  rank: Type.Integer({ minimum: 1 }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  type: nullable(Type.String()),
  name: nullable(Type.String()),
  media_url: nullable(Type.String()),
  arm: Type.Optional(Type.Enum(['a', 'b'], { description: 'Arm of an interleaved experiment that the item comes from.' })),
  reasons: Type.Array(ReasonSchema, { maxItems: 3, description: 'The reasons that carry at least 5 % of the ranking score, largest first; at most three. Empty if no reason carries as much, and in lists without reasons (`explain`).' }),
}, { title: 'Recommendation' });

export const keptPerType =
  'Only for related_items: number of related items that the model keeps per item and recommended type. A larger max_recommendations does not return more of them; lists of users and trending items have no such limit.';

export const ExperimentMember = Type.Object({
  id: Type.String(),
  arm: nullable(Type.Enum(['a', 'b'], { description: 'Arm that answered; null if the arms share the list.' })),
}, { title: 'ExperimentOfAnswer', description: 'Only with the id of an experiment as model_id. model_id and model_version are those of the arm; of arm a if the arms share the list.' });
export type ExperimentMember = Static<typeof ExperimentMember>;

export const RecommendationsAnswer = Type.Object({
  recommendation_id: Type.String({ description: 'Identifier of this answer, for logs and for `recommendation_id` of interactions.' }),
  model_id: Type.String(),
  model_version: Type.Integer(),
  experiment: Type.Optional(ExperimentMember),
  kept_per_type: Type.Optional(Type.Integer({ description: keptPerType })),
  rules: Type.Optional(Type.Array(Type.String(), { description: 'Names of the rules that apply to the lists. Absent if no rule is in force.' })),
  unknown_ids: Type.Array(Type.String(), { description: 'Ids of `entity_id` that the model does not know.' }),
  unknown_types: Type.Optional(Type.Array(Type.String(), { description: 'Types of `entity_type` and `source_type` that no entity of the model has; case and blanks matter. Absent if the model has all of them.' })),
  warnings: Type.Optional(Type.Array(Type.Object({
    code: Type.Enum(['unmatched-filter'], { description: 'Stable name of the warning.' }),
    detail: Type.String(),
  }, { title: 'RecommendationWarning' }), {
    description: 'What in the request leaves every list empty. `unmatched-filter`: `filter` is true for no item of the model. Absent if there is nothing, and where the search for an item takes too long.',
  })),
  recommendations: Type.Array(RecommendationSchema),
}, { title: 'Recommendations', examples: [recommendationsExample] });
export type RecommendationsAnswer = Static<typeof RecommendationsAnswer>;

export const filterDescription =
  'Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out.';
export const boostDescription =
  'Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted.';

const shared = {
  max_recommendations: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Maximum number of recommendations per entity. A model keeps 100 related items per item and recommended type; lists of users and trending items have no such limit.' }),
  ),
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'Minimum score; 0.0 means no threshold.' }),
  ),
  output_format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('json')], { default: 'csv', description: 'Format of the answer.' }),
  ),
  csv_safe: Type.Optional(Type.Boolean({
    default: false,
    description:
      'Puts an apostrophe before each id in the CSV that begins with = + - @, a tab or a line end, because spreadsheets treat such a field as a formula. JSON does not change.',
  })),
  entity_type: Type.Optional(identifierList('Comma-separated entity types of the recommended items. Default: all types.')),
  filter: Type.Optional(Type.String({ description: filterDescription })),
  boost: Type.Optional(Type.String({ description: boostDescription })),
  offset: Type.Optional(Type.Integer({
    minimum: 0, maximum: 10_000, default: 0, description: 'Number of recommendations to leave out at the beginning of each list, for the next page of a list.',
  })),
};

/** Parameters that both lists have. */
const Shared = Type.Object(shared);
export type ListQuery = Static<typeof Shared>;

export const RelatedItemsQuery = Type.Object(
  {
    model_id: Type.String({ description: 'Model to query, or experiment that splits users, with one user as entity_id.' }),
    entity_id: Type.Optional(
      identifierList('Comma-separated ids of the entities to recommend for; without it, all entities.'),
    ),
    unknown: Type.Optional(
      Type.Union([Type.Literal('error'), Type.Literal('trending')], {
        default: 'error',
        description:
          'Answer for an id of entity_id that the model does not know: "error" omits the id (404 if all ids are unknown), "trending" returns trending items with the reason trending.',
      }),
    ),
    explain: Type.Optional(Type.Boolean({
      description: 'Whether entries in JSON have reasons, which take about 50 µs per entry. Default: true with entity_id, false without, because the reasons of all lists take up to a hundred times as long as the lists.',
    })),
    source_type: Type.Optional(
      identifierList('Comma-separated entity types of the sources, if entity_id is omitted. Default: all types.'),
    ),
    ...shared,
  },
  { additionalProperties: false },
);

export const TrendingItemsQuery = Type.Object(
  {
    model_id: optionalModelId,
    ...shared,
  },
  { additionalProperties: false },
);
