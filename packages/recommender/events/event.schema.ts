import { tagList } from '@vouch/platform/http/parameters';
import { Type, type Static, type TSchema } from 'typebox';

/** Maximum number of events in a request. */
const maxEvents = 1000;

const identifier = (description: string) => Type.String({ minLength: 1, description: `${description} At most 1,024 bytes.` });
const metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON object of at most 65,536 bytes, as in the column `metadata` of a CSV file.' }));
const tags = Type.Optional(tagList('Labels of the batch that the events become a part of. A training with `data_tags` uses batches that have one of its tags.'));

const Interaction = Type.Object({
  id: Type.Optional(Type.String({
    minLength: 1, maxLength: 255, description: 'Your id of the event. An event whose id was received before has no effect. Ids are kept for at least 24 hours.',
  })),
  type: Type.Optional(Type.String({ description: 'Kind of the interaction, such as `view` or `purchase`. At most 1,024 bytes.' })),
  source_id: identifier('Id of the user, or of another source.'),
  target_id: identifier('Id of the item.'),
  timestamp: Type.Optional(Type.Union([Type.String(), Type.Number()], {
    description: 'ISO 8601, or Unix time in seconds or milliseconds; not in the future. Default: the time of the request.',
  })),
  metadata,
  recommendation_id: Type.Optional(Type.String({
    minLength: 1, maxLength: 64, description: 'The `recommendation_id` of the answer that the interaction came from. Interleaved experiments count outcomes by it.',
  })),
}, { title: 'InteractionRequest', additionalProperties: false });
export type Interaction = Static<typeof Interaction>;

const Entity = Type.Object({
  id: identifier('Id of the entity. A repeated id replaces the entity.'),
  type: identifier('Type of the entity.'),
  name: Type.Optional(Type.String({ description: 'At most 4,096 bytes.' })),
  metadata,
  media_url: Type.Optional(Type.String({ description: 'At most 4,096 bytes.' })),
  available: Type.Optional(Type.Boolean({ default: true, description: 'Whether lists may contain the entity. Set to false for an item that is out of stock.' })),
}, { title: 'EntityRequest', additionalProperties: false });
export type Entity = Static<typeof Entity>;

const listOf = <Member extends TSchema>(member: Member, description: string) => Type.Array(member, { minItems: 1, maxItems: maxEvents, description });

export const InteractionsRequest = Type.Object({
  interactions: listOf(Interaction, 'The interactions, 1 to 1,000. Vouch stores all of them or none.'),
  tags,
}, {
  title: 'InteractionsRequest', additionalProperties: false, examples: [{ interactions: [{ type: 'view', source_id: 'user-4', target_id: 'film-12' }] }],
});

export const EntitiesRequest = Type.Object({
  entities: listOf(Entity, 'The entities, 1 to 1,000. Vouch stores all of them or none.'),
  tags,
}, {
  title: 'EntitiesRequest', additionalProperties: false, examples: [{ entities: [{ id: 'film-12', type: 'film', name: 'Night Train to Kerala' }] }],
});

export const EventsAnswer = Type.Object({
  accepted: Type.Integer({ description: 'Number of events that were stored.' }),
  duplicates: Type.Integer({ description: 'Number of events that had no effect, because their `id` was received before.' }),
  warnings: Type.Optional(Type.Array(Type.Object({
    code: Type.Enum(['reused-ids', 'early-timestamps', 'padded-ids', 'placeholder-ids', 'exchanged-ids', 'similar-types'], { description: 'Stable name of the warning.' }),
    detail: Type.String(),
  }, { title: 'EventWarning' }), {
    description: 'Events without the intended effect, most likely. `reused-ids`: events that were not stored, because their `id` was received before with another source, target or type. `early-timestamps`: timestamps in 1970. `padded-ids`: ids with a blank at an end. `placeholder-ids`: ids that stand for a missing value, such as `null`. `exchanged-ids`: interactions whose source is an item and whose target is a user of the models that are in use. `similar-types`: types of entities that no model in use has, and that resemble one of its types. Absent if there is none.',
  })),
}, { title: 'EventsAnswer', examples: [{ accepted: 1, duplicates: 0 }] });
export type EventsAnswer = Static<typeof EventsAnswer>;
