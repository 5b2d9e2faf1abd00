import { Type, type Static } from 'typebox';
import { boostDescription, filterDescription } from './recommendation.schema.ts';

const identifier = Type.String({ minLength: 1, maxLength: 1024 });
const identifiers = (maxItems: number, description: string) => Type.Array(identifier, { maxItems, description });

const HistoryEntry = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 1024, description: 'Item of the session.' }),
    type: Type.Optional(Type.String({ maxLength: 1024, description: 'Interaction type. Types that mean a rejection, such as dislike or skip, are negative examples, as in a training.' })),
    timestamp: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'ISO 8601, or a number of seconds or milliseconds. The list is sorted by it if every entry has one.' })),
    weight: Type.Optional(Type.Number({ minimum: -100, maximum: 100, description: 'What the entry counts; below 0 for a negative example. By default, the type decides.' })),
  },
  { title: 'HistoryEntryRequest', additionalProperties: false },
);

/** Items of a session. */
export const sessionEntries = Type.Array(HistoryEntry, { maxItems: 1000, description: 'Items of a session, oldest first, with positive and negative examples. With entity_id, they follow the history of this entity.' });

export const RecommendRequest = Type.Object(
  {
    model_id: Type.Optional(Type.String({ description: 'Model or experiment to query; by default the model that completed most recently.' })),
    entity_id: Type.Optional(Type.Union([identifier, identifiers(100, 'Several entities, each with a list of its own.')], { description: 'Entity or entities to recommend for. Without entity_id and history, trending items.' })),
    history: Type.Optional(sessionEntries),
    candidates: Type.Optional(identifiers(1000, 'The only items to recommend, to be ranked. Candidates that the model does not connect with the source follow by trend, with the score 0.')),
    exclude: Type.Optional(identifiers(1000, 'Items to leave out.')),
    include_seen: Type.Optional(Type.Boolean({ default: false, description: 'Whether to recommend items of the history too.' })),
    entity_type: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 100, description: 'Entity types of the recommended items. Default: all types that occur as targets.' })),
    filter: Type.Optional(Type.String({ description: filterDescription })),
    boost: Type.Optional(Type.String({ description: boostDescription })),
    diversity: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'Weight of being different from the items before in the list (maximal marginal relevance); 0 keeps the order.' })),
    per_group: Type.Optional(Type.Object(
      {
        column: Type.String({ maxLength: 200, description: 'Metadata column of the items, for example brand.name. An item with a list is in each group of its list.' }),
        limit: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Maximum number of items of one group. Items without a value are not limited.' }),
      },
      { additionalProperties: false },
    )),
    pinned: Type.Optional(Type.Array(
      Type.Object(
        { id: identifier, position: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Rank of the item, from 1.' }) },
        { additionalProperties: false },
      ),
      { maxItems: 100, description: 'Items at fixed ranks, whatever filter and history say. An item that the list does not contain has the score 0.' },
    )),
    max_recommendations: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Maximum number of recommendations per list.' })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0, description: 'Number of recommendations to leave out at the beginning of each list.' })),
    threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'Minimum score; 0 means no threshold.' })),
    explain: Type.Optional(Type.Boolean({ default: false, description: 'Whether to return reasons, which takes about 50 µs per item.' })),
    unknown: Type.Optional(Type.Union([Type.Literal('error'), Type.Literal('trending')], { default: 'error', description: 'Answer for an entity that the model does not know, as for related_items.' })),
  },
  { title: 'RecommendRequest', additionalProperties: false, examples: [{ history: [{ id: 'film-12' }], max_recommendations: 10 }] },
);
export type RecommendRequest = Static<typeof RecommendRequest>;

/** A request with what its key permits. */
export type ListsBody = RecommendRequest & {
  /** Whether users count as unknown, so that no list depends on the history of a user. */
  items_only?: boolean;
};
