import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';
import { ModelId } from '../models/training/training.schema.ts';

export const ExperimentParameters = Type.Object({
  id: Type.String({ ...ModelId, description: 'Identifier of the experiment, under the rules for ids of models. Requests use it as `model_id`.' }),
});

const interactionType = Type.String({ minLength: 1, maxLength: 1024 });
const types = (description: string) => Type.Array(interactionType, { minItems: 1, maxItems: 20, description });

const armFields = {
  model_id: Type.String({ ...ModelId, description: 'Model of the arm.' }),
  filter: 'Filter of the arm, as `filter` of POST /v1/recommender/recommend. With the filter of a request, both must be true.',
  boost: 'Boost of the arm, as `boost` of POST /v1/recommender/recommend. The boost of a request multiplies it.',
  rule: 'Name of a rule that applies in this arm, whether or not it is enabled, and not in the other arm.',
};
const ArmRequest = Type.Object(
  {
    model_id: armFields.model_id,
    filter: Type.Optional(Type.String({ description: armFields.filter })),
    boost: Type.Optional(Type.String({ description: armFields.boost })),
    rule: Type.Optional(Type.String({ maxLength: 64, description: armFields.rule })),
  },
  { title: 'ExperimentArmRequest', additionalProperties: false },
);
const ArmDefinition = Type.Object(
  {
    model_id: Type.String(),
    filter: nullable(Type.String({ description: armFields.filter })),
    boost: nullable(Type.String({ description: armFields.boost })),
    rule: nullable(Type.String({ description: armFields.rule })),
  },
  { title: 'ExperimentArm' },
);
export type ArmDefinition = Static<typeof ArmDefinition>;

const metric = Type.Enum(['interactions', 'empty_lists'], { description: '`interactions`: users with an interaction of `types` must not become fewer; `empty_lists`: users who got an empty list must not become more.' });
const guardedTypes = 'Interaction types of the metric `interactions`.';
const tolerance = 'Change that is accepted: for interactions, a relative decrease, by default 0.1; for empty_lists, an increase of the share of users, by default 0.01.';
const GuardrailRequest = Type.Object(
  { metric, types: Type.Optional(types(guardedTypes)), tolerance: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: tolerance })) },
  { title: 'GuardrailRequest', additionalProperties: false },
);
const Guardrail = Type.Object({ metric, types: Type.Array(interactionType, { description: guardedTypes }), tolerance: Type.Number({ description: tolerance }) }, { title: 'Guardrail' });
export type Guardrail = Static<typeof Guardrail>;

const mode = Type.Enum(['split', 'interleaved'], {
  description: '`split`: each user gets the lists of one arm, decided by a hash of the id. `interleaved`: each list takes turns between the arms (team-draft interleaving), and an outcome counts for the arm of its item; needs fewer users, but compares only which items users choose.',
});
const share = 'Share of the users in arm b, for the mode split. 0 gives all users arm a, and 1 arm b, for example after the experiment.';
const outcome = 'Interaction types that count as success, such as purchase.';
const windowDays = 'Days after the first answer to a user, or in the mode interleaved after an answer, in which outcomes count.';
const minimumEffect = 'Smallest relative change of the rate that matters; 0.1 stands for a ratio of 1.1. Decides the number of users needed.';

export const ExperimentRequest = Type.Object(
  {
    arms: Type.Object({ a: ArmRequest, b: ArmRequest }, { additionalProperties: false, description: 'Usually a is in use, and b is new.' }),
    mode: Type.Optional(mode),
    share: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: `${share} Default: 0.5.` })),
    outcome: types(outcome),
    window_days: Type.Optional(Type.Number({ minimum: 0.01, maximum: 365, default: 7, description: windowDays })),
    minimum_effect: Type.Optional(Type.Number({ minimum: 0.005, maximum: 10, default: 0.1, description: minimumEffect })),
    guardrails: Type.Optional(Type.Array(GuardrailRequest, { maxItems: 10, description: 'Metrics that must not become worse, for the mode split.' })),
  },
  {
    title: 'ExperimentRequest', additionalProperties: false,
    examples: [{ arms: { a: { model_id: 'shop' }, b: { model_id: 'shop', boost: 'item.margin' } }, outcome: ['purchase'], guardrails: [{ metric: 'empty_lists' }] }],
  },
);
export type ExperimentRequest = Static<typeof ExperimentRequest>;

const definitionFields = {
  arms: Type.Object({ a: ArmDefinition, b: ArmDefinition }),
  mode,
  share: Type.Number({ description: share }),
  outcome: Type.Array(interactionType, { description: outcome }),
  window_days: Type.Number({ description: windowDays }),
  minimum_effect: Type.Number({ description: minimumEffect }),
  guardrails: Type.Array(Guardrail),
};
const ExperimentDefinition = Type.Object(definitionFields);
/** The definition of an experiment, with all defaults filled in, as it is stored. */
export type ExperimentDefinition = Static<typeof ExperimentDefinition>;

const definitionExample = {
  arms: { a: { model_id: 'shop', filter: null, boost: null, rule: null }, b: { model_id: 'shop', filter: null, boost: 'item.margin', rule: null } },
  mode: 'split' as const, share: 0.5, outcome: ['purchase'], window_days: 7, minimum_effect: 0.1, guardrails: [{ metric: 'empty_lists' as const, types: [], tolerance: 0.01 }],
};

export const ExperimentRecord = Type.Object(
  {
    experiment_id: Type.String(),
    ...definitionFields,
    started_at: Type.String({ format: 'date-time', description: 'When the definition last changed; earlier users and outcomes do not count.' }),
  },
  { title: 'Experiment', description: 'Two arms under one id, and what decides between them.', examples: [{ experiment_id: 'margin', ...definitionExample, started_at: '2026-03-02T08:15:00.000Z' }] },
);
export type ExperimentRecord = Static<typeof ExperimentRecord>;
