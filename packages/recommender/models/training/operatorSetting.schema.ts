import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Fault } from '@vouch/platform/errors/problem';
import { Type, type Static, type TSchema } from 'typebox';
import type { OperatorSetting } from '../../engine/data/trainingData.ts';

/**
 * One exponent or strength: its public name, its range, and its symbol in the formulas, which is also the older public name.
 */
const strengths = [
  {
    name: 'user_exponent', symbol: 'pu', minimum: -2, maximum: 0,
    description: "Exponent of a user's number of interactions in the weight of this user. The more negative, the less very active users count.",
  },
  {
    name: 'source_exponent', symbol: 'pa', minimum: -2, maximum: 1,
    description: "Exponent of an item's number of users in the weight of this item as part of a history. The more negative, the less popular items of a history count.",
  },
  {
    name: 'item_exponent', symbol: 'pb', minimum: -2, maximum: 1,
    description: "Exponent of an item's number of users in the weight of this item as a recommendation. The more negative, the rarer popular items are recommended.",
  },
  {
    name: 'damping', symbol: 'T', minimum: -2, maximum: 20,
    description: 'How much the strongest directions of taste, which all users share, are damped; 0 does not damp, and a negative value strengthens these directions, which sparse data needs.',
  },
  {
    name: 'low_pass', symbol: 'b', minimum: 0, maximum: 10,
    description: 'Weight of the low-pass term, which recommends along the leading directions of taste alone; 0 leaves the term out.',
  },
] as const;

type Strength = (typeof strengths)[number];
type Name = Strength['name'];
type Symbol = Strength['symbol'];

const optionalFields = {
  all_pairs: Type.Optional(
    Type.Boolean({ description: 'Whether items without common users can follow from each other, along the directions of taste; default false. Sparse data needs this option.' }),
  ),
  ridge: Type.Optional(
    Type.Number({
      minimum: 0, maximum: 1e6,
      description: 'Weight of a ridge regression between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs and ridge_penalty.',
    }),
  ),
  ridge_penalty: Type.Optional(
    Type.Number({ minimum: 0.1, maximum: 1e6, description: 'Penalty of the ridge regression: the larger, the more users a regression weight needs.' }),
  ),
  als: Type.Optional(
    Type.Number({
      minimum: 0, maximum: 1e6,
      description: 'Weight of alternating least squares between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs.',
    }),
  ),
  als_confidence: Type.Optional(
    Type.Number({ minimum: 1, maximum: 1000, description: 'Weight of an interaction beside an absent one in alternating least squares; default 40.' }),
  ),
  content: Type.Optional(
    Type.Number({
      minimum: 0, maximum: 1e6,
      description: "Weight of the similarity of the items' names and metadata, added to the operator; default 0.",
    }),
  ),
  recency: Type.Optional(Type.Boolean({ description: 'Whether later items of a history count more; default false.' })),
  transitions: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of what users chose next in the order of a list; default 0.' }),
  ),
};

function fieldsOf<Key extends string, Field extends TSchema>(keyOf: (strength: Strength) => Key, fieldOf: (strength: Strength) => Field): Record<Key, Field> {
  return Object.fromEntries(strengths.map((strength) => [keyOf(strength), fieldOf(strength)])) as Record<Key, Field>;
}

const nameOf = ({ name }: Strength): Name => name;
const symbolOf = ({ symbol }: Strength): Symbol => symbol;

const { all_pairs: allPairs, ridge_penalty: lambda, als_confidence: confidence, ...storedAlike } = optionalFields;

/** A setting in the form that trainings store and the engine uses. */
export const OperatorSettingSchema = Type.Object(
  { ...fieldsOf(symbolOf, ({ minimum, maximum }) => Type.Number({ minimum, maximum })), allPairs, lambda, confidence, ...storedAlike },
  { additionalProperties: false },
);

/** A setting in answers. */
export const PublicSetting = Type.Object(
  { ...fieldsOf(nameOf, ({ minimum, maximum, description }) => Type.Number({ minimum, maximum, description })), ...optionalFields },
  { title: 'OperatorSetting', additionalProperties: false, description: 'Exponents and strengths of the collaborative operator, its pairs, and how much time orders the lists of users.' },
);
export type PublicSetting = Static<typeof PublicSetting>;

/** A setting in requests: each exponent and strength under its name or its alias. */
export const SettingRequest = Type.Object(
  {
    ...fieldsOf(nameOf, ({ symbol, minimum, maximum, description }) => Type.Optional(Type.Number({ minimum, maximum, description: `${description} Alias: ${symbol}. Required.` }))),
    ...fieldsOf(symbolOf, ({ name, minimum, maximum }) => Type.Optional(Type.Number({ minimum, maximum, deprecated: true, description: `Alias of ${name}.` }))),
    ...optionalFields,
  },
  { title: 'OperatorSettingRequest', additionalProperties: false, description: 'Exponents and strengths of the collaborative operator, its pairs, and how much time orders the lists of users. All five are required.' },
);
export type SettingRequest = Static<typeof SettingRequest>;

/**
 * Reads the setting that a request fixes.
 * @throws Problem `invalid-parameter` if a strength is missing, or if its name and its alias have different values
 */
export function readSetting(given: SettingRequest): OperatorSetting {
  const errors: Fault[] = [];
  const values = strengths.map(({ name, symbol }): [Symbol, number] => {
    const [value, alias] = [given[name], given[symbol]];
    const location = `/parameters/setting/${name}`;
    if (value !== undefined && alias !== undefined && value !== alias) {
      errors.push({ location, detail: `${name} is ${value} and its alias ${symbol} is ${alias}. Send one of the two names, or the same value under both.` });
    }
    if (value === undefined && alias === undefined) {
      errors.push({ location, detail: `${name} is missing. A setting needs ${strengths.map(nameOf).join(', ')}.` });
    }
    return [symbol, value ?? alias ?? 0];
  });
  errors.push(...ridgeFaults(given));
  if (errors.length > 0) {
    const rest = errors.length === 1 ? '' : ` ${errors.length - 1} more in \`errors\`.`;
    throw platformErrors.problem('invalid-parameter', `${errors[0]?.detail ?? ''}${rest}`, { errors });
  }
  const { all_pairs: allPairs, ridge, ridge_penalty: lambda, als, als_confidence: confidence, content, recency, transitions } = given;
  return {
    ...(Object.fromEntries(values) as Record<Symbol, number>),
    ...(allPairs === undefined ? {} : { allPairs }),
    ...(ridge === undefined ? {} : { ridge }),
    ...(lambda === undefined ? {} : { lambda }),
    ...(als === undefined ? {} : { als }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(content === undefined ? {} : { content }),
    ...(recency === undefined ? {} : { recency }),
    ...(transitions === undefined ? {} : { transitions }),
  };
}

/** A ridge and alternating least squares need the search over all pairs, and a ridge needs a penalty. */
function ridgeFaults({ ridge = 0, ridge_penalty: penalty, als = 0, all_pairs: allPairs = false }: SettingRequest): Fault[] {
  const faults: Fault[] = [];
  for (const [name, weight] of [['ridge', ridge], ['als', als]] as const) {
    if (weight === 0 || allPairs) continue;
    faults.push({ location: '/parameters/setting/all_pairs', detail: `${name} is ${weight} without all_pairs. Set all_pairs to true, or ${name} to 0.` });
  }
  if (ridge > 0 && penalty === undefined) {
    faults.push({ location: '/parameters/setting/ridge_penalty', detail: `ridge is ${ridge} without ridge_penalty. Set ridge_penalty, for example to 100, or ridge to 0.` });
  }
  return faults;
}

/** A stored setting with its public names. */
export function toPublicSetting({ allPairs, ridge, lambda, als, confidence, content, recency, transitions, ...values }: OperatorSetting): PublicSetting {
  return {
    ...(Object.fromEntries(strengths.map(({ name, symbol }) => [name, values[symbol]])) as Record<Name, number>),
    ...(allPairs === undefined ? {} : { all_pairs: allPairs }),
    ...(ridge === undefined ? {} : { ridge }),
    ...(lambda === undefined ? {} : { ridge_penalty: lambda }),
    ...(als === undefined ? {} : { als }),
    ...(confidence === undefined ? {} : { als_confidence: confidence }),
    ...(content === undefined ? {} : { content }),
    ...(recency === undefined ? {} : { recency }),
    ...(transitions === undefined ? {} : { transitions }),
  };
}
