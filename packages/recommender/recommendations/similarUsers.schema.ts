import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { optionalModelId } from './recommendation.schema.ts';

/** Number of users without `max_recommendations`. */
export const defaultLimit = 20;

export const SimilarUsersQuery = Type.Object(
  {
    model_id: optionalModelId,
    entity_id: Type.String({ minLength: 1, maxLength: 1024, description: 'User, or another entity with interactions of its own.' }),
    max_recommendations: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultLimit, description: 'Maximum number of users.' })),
  },
  { additionalProperties: false },
);

const SimilarUser = Type.Object({
  id: Type.String(),
  type: nullable(Type.String()),
  name: nullable(Type.String()),
  rank: Type.Integer({ minimum: 1 }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'Cosine of the two histories, with rare items weighing more; 1 for the same items.' }),
  shared_items: Type.Integer({ minimum: 1, description: 'Number of items in both histories.' }),
  ids: Type.Array(Type.String(), { maxItems: 10, description: 'The first of these items, rarest first.' }),
  text: Type.String({ description: 'The reason as a sentence.', examples: ['Both chose “Heat (1995)” and “Casino (1995)”.'] }),
}, { title: 'SimilarUser' });

export const SimilarUsersAnswer = Type.Object({
  model_id: Type.String(),
  model_version: Type.Integer(),
  source_id: Type.String(),
  similar_users: Type.Array(SimilarUser, { description: 'Users by descending score; empty if nobody has an item in common.' }),
}, {
  title: 'SimilarUsers',
  examples: [{
    model_id: 'films', model_version: 3, source_id: 'user-4',
    similar_users: [{ id: 'user-9', type: 'user', name: null, rank: 1, score: 0.412345, shared_items: 2, ids: ['film-31', 'film-12'], text: 'Both chose “Night Train to Kerala” and “The Last Ferry”.' }],
  }],
});
export type SimilarUsersAnswer = Static<typeof SimilarUsersAnswer>;
