import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';

export const ComparisonQuery = Type.Object(
  {
    model_id: Type.String({ description: 'First model, called a.' }),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Kept version of the first model. Default: the version that serves.' })),
    other_model_id: Type.Optional(Type.String({ description: 'Second model, called b. Default: the first model, in another version.' })),
    other_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Kept version of the second model. Default: the version that serves.' })),
    length: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Length of the lists that are compared.' })),
    sample: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000, default: 300, description: 'Maximum number of users, and of items, whose lists are compared.' })),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 1, description: 'Seed of the sample: the same seed and versions give the same answer.' })),
  },
  { additionalProperties: false },
);
export type ComparisonQuery = Static<typeof ComparisonQuery>;

const Side = Type.Object(
  {
    model_id: Type.String(),
    version: Type.Integer(),
    users: Type.Integer({ description: 'Users with a history in the training.' }),
    items: Type.Integer({ description: 'Items that lists can contain.' }),
    coverage: Type.Number({ description: 'Share of the items that occur in the lists of the sampled users.' }),
    novelty: nullable(Type.Number({ description: 'Mean of log2(users / users who have the item) over the entries of these lists: higher for less popular items. Null without entries.' })),
  },
  { title: 'ComparedModel' },
);

const Mover = Type.Object(
  {
    id: Type.String(),
    name: nullable(Type.String()),
    overlap: Type.Number(),
    a: Type.Array(Type.String(), { description: 'First items of the list of a.' }),
    b: Type.Array(Type.String(), { description: 'First items of the list of b.' }),
  },
  { title: 'ChangedList' },
);
const ComparedLists = Type.Object(
  {
    compared: Type.Integer({ description: 'Sampled users or items that both know.' }),
    unknown_to_b: Type.Integer({ description: 'Sampled users or items of a that b does not know.' }),
    mean_overlap: nullable(Type.Number({ description: 'Mean share of the list of a that is in the list of b too. Null if nothing was compared.' })),
    identical: Type.Integer({ description: 'Lists with the same items in the same order.' }),
    most_changed: Type.Array(Mover, { maxItems: 10, description: 'Lists with the smallest overlap.' }),
  },
  { title: 'ComparedLists' },
);

const Shift = Type.Object({ id: Type.String(), name: nullable(Type.String()), a: Type.Integer({ description: 'Lists of sampled users with the item in a.' }), b: Type.Integer({ description: 'The same in b.' }) }, { title: 'ItemShift' });

export const ComparisonResult = Type.Object(
  {
    length: Type.Integer(),
    seed: Type.Integer(),
    a: Side,
    b: Side,
    users: ComparedLists,
    items: ComparedLists,
    risen: Type.Array(Shift, { maxItems: 10, description: 'Items that occur in more lists of users in b, most first.' }),
    fallen: Type.Array(Shift, { maxItems: 10, description: 'Items that occur in fewer lists of users in b, most first.' }),
  },
  {
    title: 'ModelComparison',
    examples: [{
      length: 20, seed: 1,
      a: { model_id: 'films', version: 3, users: 610, items: 9_724, coverage: 0.06, novelty: 2.31 }, b: { model_id: 'films', version: 4, users: 655, items: 9_802, coverage: 0.07, novelty: 2.5 },
      users: { compared: 300, unknown_to_b: 0, mean_overlap: 0.74, identical: 12, most_changed: [{ id: 'user-4', name: null, overlap: 0.1, a: ['film-12'], b: ['film-31'] }] },
      items: { compared: 298, unknown_to_b: 2, mean_overlap: 0.81, identical: 40, most_changed: [] },
      risen: [{ id: 'film-31', name: 'Night Train to Kerala', a: 3, b: 41 }], fallen: [],
    }],
  },
);
export type ComparisonResult = Static<typeof ComparisonResult>;
