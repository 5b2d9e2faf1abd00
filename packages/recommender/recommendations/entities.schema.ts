import { nullable } from '@vouch/platform/http/nullable';
import { pageParameters } from '@vouch/platform/http/page';
import { identifierList } from '@vouch/platform/http/parameters';
import { Type, type Static } from 'typebox';

const roles = ['item', 'user', 'other'] as const;

export const EntityRecord = Type.Object({
  id: Type.String(),
  type: nullable(Type.String()),
  name: nullable(Type.String()),
  media_url: nullable(Type.String()),
  role: Type.Enum([...roles], {
    description: 'What lists of the entity are based on: `item`, other items that are related; `user`, the history of the entity; `other`, trending items, because the entity has no interactions.',
  }),
  interactions: Type.Integer({ description: 'For an item, the number of users who chose the item; for a user, the number of chosen items. As of the training.' }),
}, {
  title: 'Entity',
  examples: [{ id: 'film-12', type: 'film', name: 'The Last Ferry', media_url: 'https://example.org/posters/12.jpg', role: 'item', interactions: 31 }],
});
export type EntityRecord = Static<typeof EntityRecord>;

export const EntitiesQuery = Type.Object({
  query: Type.Optional(Type.String({
    maxLength: 1024, description: 'Part of a name or an id, in upper or lower case. The entity with exactly this id comes first, then matches at the beginning. Without a query, all entities are listed.',
  })),
  entity_type: Type.Optional(identifierList('Comma-separated entity types. Default: all types.')),
  ...pageParameters(200, 50),
});
