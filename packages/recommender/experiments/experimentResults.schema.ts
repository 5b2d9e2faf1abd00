import { nullable } from '@vouch/platform/http/nullable';
import { Type, type Static } from 'typebox';

const always = 'The interval holds at all times at once: with probability 95 %, it never misses the true value, however often the results are read.';

const Rate = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() }, { title: 'Rate', description: always });
const Difference = Type.Object(
  { value: Type.Number(), low: Type.Number({ minimum: -1 }), high: Type.Number({ maximum: 1 }) }, { title: 'RateDifference', description: `Rate of b minus rate of a. ${always}` },
);
const Ratio = Type.Object(
  { value: nullable(Type.Number()), low: Type.Number(), high: nullable(Type.Number()) },
  { title: 'RateRatio', description: `Rate of b divided by rate of a; null where no outcome of an arm leaves it open. ${always}` },
);

const ArmResult = Type.Object(
  {
    users: Type.Integer({ description: 'Users who got an answer. In the mode interleaved, the users of both arms.' }),
    conversions: Type.Integer({ description: 'Users with an outcome in the window. In the mode interleaved, users whose first outcome was an item of the arm.' }),
    rate: nullable(Rate),
  },
  { title: 'ExperimentArmResult' },
);

const GuardrailResult = Type.Object(
  {
    metric: Type.Enum(['interactions', 'empty_lists']),
    types: Type.Array(Type.String()),
    tolerance: Type.Number(),
    a: Type.Object({ users: Type.Integer(), affected: Type.Integer({ description: 'Users with such an interaction, or with an empty list.' }) }),
    b: Type.Object({ users: Type.Integer(), affected: Type.Integer() }),
    difference: nullable(Difference),
    ratio: nullable(Ratio),
    status: Type.Enum(['held', 'undecided', 'broken'], { description: '`broken`: b is worse than a; `held`: b is not worse by more than the tolerance.' }),
  },
  { title: 'GuardrailResult' },
);

export const ExperimentResults = Type.Object(
  {
    experiment_id: Type.String(),
    mode: Type.Enum(['split', 'interleaved']),
    started_at: Type.String({ format: 'date-time' }),
    counted_until: nullable(Type.String({ format: 'date-time', description: 'Interactions that arrived before this time are counted: about the last 40 seconds are not. Null before the first count.' })),
    arms: Type.Object({ a: ArmResult, b: ArmResult }),
    difference: nullable(Difference),
    ratio: nullable(Ratio),
    users: Type.Object(
      {
        reached: Type.Integer(),
        needed: nullable(Type.Integer({ description: 'Users after which the minimum effect is found in 80 % of experiments that have it, at the rate seen so far. Null before 20 outcomes, and if one arm has all users.' })),
      },
      { title: 'ExperimentUsers' },
    ),
    guardrails: Type.Array(GuardrailResult),
    verdict: Type.Object(
      {
        code: Type.Enum(['running', 'better', 'worse', 'no_difference'], { description: 'Of b, compared with a. The verdict may be read at any time, and the experiment may end with the first one that is not `running`.' }),
        text: Type.String({ description: 'The verdict as a sentence.' }),
      },
      { title: 'ExperimentVerdict' },
    ),
    warnings: Type.Array(Type.Object(
      { code: Type.Enum(['sample-ratio-mismatch', 'guardrail-broken', 'rule-deleted', 'rule-changed', 'rule-skipped', 'arm-cannot-answer']), detail: Type.String() }, { title: 'ExperimentWarning' },
    )),
  },
  {
    title: 'ExperimentResults',
    examples: [{
      experiment_id: 'margin', mode: 'split', started_at: '2026-03-02T08:15:00.000Z', counted_until: '2026-03-12T10:00:00.000Z',
      arms: { a: { users: 20_110, conversions: 1_004, rate: { value: 0.0499, low: 0.0451, high: 0.0552 } }, b: { users: 20_034, conversions: 1_246, rate: { value: 0.0622, low: 0.0569, high: 0.0679 } } },
      difference: { value: 0.0123, low: 0.0053, high: 0.0193 }, ratio: { value: 1.2457, low: 1.0967, high: 1.4136 }, users: { reached: 40_144, needed: 121_500 }, guardrails: [],
      verdict: { code: 'better', text: 'Arm b is better: 6.22 % of the users of arm b have an outcome, and 4.99 % of the users of arm a; the ratio is 1.25, and the true ratio is between 1.1 and 1.41 with 95 % certainty.' }, warnings: [],
    }],
  },
);
export type ExperimentResults = Static<typeof ExperimentResults>;
