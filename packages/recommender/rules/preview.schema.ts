import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { WarningSchema } from './rule.schema.ts';

/** Maximum number of examples, of their items, and of removed items that are named. */
export const previewLimits = { examples: 10, items: 10, removed: 20 } as const;

const Example = Type.Object(
  {
    recommendation_id: nullable(Type.String({ description: 'Null for an answer in CSV.' })),
    answered_at: Type.String({ format: 'date-time' }),
    model_id: Type.String(),
    source_id: nullable(Type.String({ description: 'Entity of the list; null for a session without one, and for trending items.' })),
    overlap: Type.Number({ minimum: 0, maximum: 1 }),
    before: Type.Array(Type.String(), { maxItems: previewLimits.items, description: 'The first items without the rule.' }),
    after: Type.Array(Type.String(), { maxItems: previewLimits.items, description: 'The first items with the rule.' }),
  },
  { title: 'RulePreviewExample' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const RulePreview = Type.Object(
  {
    name: Type.String(),
    answers: count('Answers that were compared, the latest first: ranked again with the present versions and events, without and with the rule.'),
    from: nullable(Type.String({ format: 'date-time', description: 'When the oldest of these answers was sent; null without answers.' })),
    to: nullable(Type.String({ format: 'date-time', description: 'When the latest of them was sent.' })),
    skipped: count('Recorded answers that cannot be ranked any more, for example because no version of the model knows the entity.'),
    is_complete: Type.Boolean({ description: 'Whether all recorded answers were compared or skipped; false if the time of 20 seconds was over before.' }),
    changed: count('Answers with at least one changed list.'),
    lists: count('Lists of the answers.'),
    lists_emptied: count('Lists that have items only without the rule.'),
    items_removed: count('Items that a list has only without the rule, over all lists.'),
    items_added: count('Items that a list has only with the rule, which follow up.'),
    items_moved: count('Items that a list has at different ranks.'),
    mean_overlap: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of the items of a list without the rule that the list with the rule has too, averaged over the lists; null without lists.' })),
    changed_since: count('Answers whose lists are not as they were sent, for other reasons than this rule: newer versions, events, other rules.'),
    removed_items: Type.Array(
      Type.Object({ id: Type.String(), name: nullable(Type.String()), lists: count('Number of lists that lose the item.') }, { title: 'RemovedItem' }),
      { maxItems: previewLimits.removed, description: 'The items that most lists lose.' },
    ),
    examples: Type.Array(Example, { maxItems: previewLimits.examples, description: 'The lists that change most.' }),
    warnings: Type.Array(WarningSchema, { description: 'Models of the answers whose lists would do without the rule, whose scores its boost would not change, or of which every list would be empty.' }),
  },
  {
    title: 'RulePreview',
    description: 'What a rule would have changed in the latest answers. Lists are compared up to rank 100.',
    examples: [{
      name: 'in-stock', answers: 1000, from: '2026-11-20T16:00:00.000Z', to: '2026-11-20T16:40:00.000Z', skipped: 0, is_complete: true, changed: 412, lists: 1000, lists_emptied: 0,
      items_removed: 961, items_added: 958, items_moved: 14_221, mean_overlap: 0.9519, changed_since: 37, removed_items: [{ id: 'boots-3', name: 'Rain boots', lists: 211 }],
      examples: [{ recommendation_id: '0b9f2f0e-8a52-4f3c-9d0e-2d3f6a1c7b11', answered_at: '2026-11-20T16:31:07.000Z', model_id: 'shop', source_id: 'user-7', overlap: 0.5, before: ['boots-3', 'coat-1'], after: ['coat-1', 'hat-2'] }],
      warnings: [],
    }],
  },
);
export type RulePreview = Static<typeof RulePreview>;
