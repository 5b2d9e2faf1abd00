import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { ModelId } from '../models/training/training.schema.ts';

// Excludes `.` and `..`, because clients remove these segments from URLs.
const RuleName = Type.String({
  pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$',
  range: 'text of 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or ".."',
  description: 'Name of the rule: 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or "..".',
});
export const RuleParameters = Type.Object({ name: RuleName });

const filter = 'Expression in CEL, as `filter` of a request, that is true for the items that lists keep. With the filter of the request and of other rules, all must be true.';
const boost = 'Expression in CEL, as `boost` of a request, by which the scores of items are multiplied. The boosts of the request and of all rules multiply each other; the product is at most 1000.';
const modelId = 'Model whose lists the rule applies to. Default: the lists of all models.';
const validFrom = 'Time from which the rule applies. Default: at once.';
const validUntil = 'Time from which the rule no longer applies. Default: never.';
const enabled = 'Whether the rule applies. A rule that is not enabled can be previewed.';

const fields = {
  filter: Type.Optional(Type.String({ description: filter })),
  boost: Type.Optional(Type.String({ description: boost })),
  model_id: Type.Optional(Type.String({ ...ModelId, description: modelId })),
  valid_from: Type.Optional(Type.String({ format: 'date-time', description: validFrom })),
  valid_until: Type.Optional(Type.String({ format: 'date-time', description: validUntil })),
};

/** Body of a preview. Without a default, so that a preview without a body is recognized. */
export const RulePreviewRequest = Type.Object(
  { ...fields, enabled: Type.Optional(Type.Boolean({ description: 'As in the rule; a preview ignores the value.' })) },
  { title: 'RulePreviewRequest', additionalProperties: false, examples: [{ filter: 'item.stock > 0' }] },
);

export const RuleRequest = Type.Object(
  { ...fields, enabled: Type.Optional(Type.Boolean({ default: true, description: enabled })) },
  { title: 'RuleRequest', additionalProperties: false, examples: [{ filter: 'item.stock > 0', enabled: false }] },
);
export type RuleRequest = Static<typeof RuleRequest>;

export const WarningSchema = Type.Object(
  {
    model_id: Type.String(),
    model_version: Type.Integer(),
    detail: Type.String({ description: 'The reason as a sentence.' }),
  },
  { title: 'RuleWarning' },
);

export const RuleRecord = Type.Object(
  {
    name: Type.String(),
    filter: nullable(Type.String({ description: filter })),
    boost: nullable(Type.String({ description: boost })),
    model_id: nullable(Type.String({ description: modelId })),
    valid_from: nullable(Type.String({ format: 'date-time', description: validFrom })),
    valid_until: nullable(Type.String({ format: 'date-time', description: validUntil })),
    enabled: Type.Boolean({ description: enabled }),
    status: Type.Enum(['in_force', 'scheduled', 'expired', 'disabled'], {
      description: '`in_force`: lists follow the rule; `scheduled`: enabled, before valid_from; `expired`: enabled, after valid_until; `disabled`: not enabled.',
    }),
    warnings: Type.Array(WarningSchema, { description: 'Models whose lists do without the rule, because it does not fit the columns of a newer version, because its boost has no value for any item, or because too few items pass; and models of which every list is empty, because no item passes its filter.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'Rule',
    description: 'A named filter or boost, or both, which applies to the lists of the organization.',
    examples: [{
      name: 'in-stock', filter: 'item.stock > 0', boost: null, model_id: 'shop', valid_from: null, valid_until: '2026-12-24T18:00:00.000Z', enabled: true, status: 'in_force',
      warnings: [{ model_id: 'shop', model_version: 4, detail: 'the filter does not fit the model: at character 1, the model has no column "item.stock". The nearest column is item.store.' }],
      created_at: '2026-11-02T08:15:00.000Z', updated_at: '2026-11-20T16:40:00.000Z',
    }],
  },
);
export type RuleRecord = Static<typeof RuleRecord>;
