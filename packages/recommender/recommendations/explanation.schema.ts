import { nullable } from '@vouch/platform/http/nullable';
import { identifierList } from '@vouch/platform/http/parameters';
import { Type } from 'typebox';
import { causes } from './explanation/cause.ts';
import { boostDescription, ExperimentMember, filterDescription, optionalModelId, ReasonSchema } from './recommendation.schema.ts';
import { sessionEntries } from './recommendRequest.schema.ts';
import { maxBoost } from '../expressions/expression.ts';

const identifier = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description });

const targetId = identifier('Item to explain.');
const types = 'entity types of the recommended items. Default: all types that occur as targets.';
const limits = {
  filter: Type.Optional(Type.String({ description: filterDescription })),
  boost: Type.Optional(Type.String({ description: boostDescription })),
  max_recommendations: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Maximum number of recommendations of the list.' })),
  threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'Minimum score; 0 means no threshold.' })),
};

export const ExplainQuery = Type.Object(
  {
    model_id: optionalModelId,
    source_id: Type.Optional(identifier('Entity that the list is for, as entity_id of related_items. Without source_id, the list has trending items.')),
    target_id: targetId,
    entity_type: Type.Optional(identifierList(`Comma-separated ${types}`)),
    ...limits,
    unknown: Type.Optional(Type.Union([Type.Literal('error'), Type.Literal('trending')], { default: 'error', description: 'List of a source that the model does not know, as for related_items.' })),
  },
  { additionalProperties: false },
);

export const ExplainSessionRequest = Type.Object(
  {
    model_id: optionalModelId,
    history: sessionEntries,
    entity_id: Type.Optional(identifier('Entity whose history the session follows.')),
    target_id: targetId,
    entity_type: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 100, description: `The ${types}` })),
    ...limits,
  },
  { title: 'ExplainSessionRequest', additionalProperties: false, examples: [{ history: [{ id: 'film-12' }], target_id: 'film-31' }] },
);

const codes = Object.keys(causes) as (keyof typeof causes)[];

const CauseSchema = Type.Object(
  {
    code: Type.Enum(codes, { description: `Cause: ${codes.map((code) => `\`${code}\`: ${causes[code]}`).join('; ')}.` }),
    text: Type.String({ description: 'The cause as a sentence, with its values.' }),
    clause: Type.Optional(Type.String({ description: 'Only for filtered: the part of the filter that is not true.' })),
    rule: Type.Optional(Type.String({ description: 'Only for filtered: the rule whose filter has this part. Absent for the filter of the query.' })),
  },
  { title: 'AbsenceCause' },
);

export const ExplainAnswer = Type.Object(
  {
    model_id: Type.String(),
    model_version: Type.Integer(),
    experiment: Type.Optional(ExperimentMember),
    rules: Type.Optional(Type.Array(Type.String(), { description: 'Names of the rules that apply to the list. Absent if no rule is in force.' })),
    source_id: nullable(Type.String()),
    target_id: Type.String(),
    list: nullable(Type.Union([Type.Literal('related'), Type.Literal('history'), Type.Literal('trending')], {
      description: 'What the list is: related items of an item, items for a history, or trending items.',
    })),
    listed: Type.Boolean({ description: 'Whether the list contains the item.' }),
    rank: nullable(Type.Integer({ minimum: 1, description: 'Rank in the list. For an item that type, filter, threshold or max_recommendations keep out: the rank without the clauses and limits in `causes`.' })),
    score: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Score at this rank.' })),
    boost: nullable(Type.Number({ minimum: 0, maximum: maxBoost, description: 'Factor of the score by the boosts of the query and of the rules.' })),
    rule_boosts: Type.Array(Type.Object({ rule: Type.String(), boost: Type.Number({ minimum: 0, maximum: maxBoost }) }, { title: 'RuleBoost' }), { description: 'The factors of the rules with a boost.' }),
    reasons: Type.Array(ReasonSchema, { maxItems: 3, description: 'The parts of the ranking score, as in the lists.' }),
    causes: Type.Array(CauseSchema, { description: 'Why the list does not contain the item, each of which alone keeps it out; empty if the list contains the item.' }),
  },
  {
    title: 'Explanation',
    examples: [{
      model_id: 'shop', model_version: 3, source_id: 'user-7', target_id: 'coat-1', list: 'history', listed: false, rank: 4, score: 0.412345, boost: null, rule_boosts: [],
      reasons: [{ kind: 'history', text: 'Because you chose “Rain boots”.', ids: ['boots-3'], count: 1, share: 0.92 }],
      causes: [{ code: 'filtered', text: 'The filter leaves the item out. item.price < user.budget is false: item.price is 120, user.budget is 80.', clause: 'item.price < user.budget' }],
    }],
  },
);
