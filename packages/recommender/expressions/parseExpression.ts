import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';
import { ExpressionFault } from './expressionValue.ts';

/** Limits of an expression. With them, parsing takes at most a few ms, and an evaluation visits each node once. */
const expressionLimits = { characters: 4096, nodes: 500, depth: 40, elements: 500 } as const;

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  limits: {
    maxAstNodes: expressionLimits.nodes,
    maxDepth: expressionLimits.depth,
    maxListElements: expressionLimits.elements,
    maxMapEntries: 1,
    maxCallArguments: 4,
  },
});

/**
 * Parses an expression of the Common Expression Language (CEL).
 * @throws ExpressionFault with the reason and the place, also if the expression exceeds a limit
 */
export function parseExpression(text: string): ASTNode {
  const { characters, nodes, depth, elements } = expressionLimits;
  if (text.length > characters) throw new ExpressionFault(`it has ${text.length} characters; at most ${characters} are allowed`, 0);
  if (text.trim() === '') throw new ExpressionFault('it is empty', 0);
  try {
    return environment.parse(text).ast;
  } catch (error) {
    // The parser recurses once per unary operator, which its limit of depth does not count.
    const exceeded = error instanceof RangeError || (error instanceof ParseError && error.code === 'limit_exceeded');
    if (exceeded) throw new ExpressionFault(`it is too large: at most ${depth} levels of nesting, ${nodes} parts and ${elements} elements in a list are allowed`, 0);
    if (error instanceof ParseError) {
      const start = error.range?.start ?? 0;
      throw new ExpressionFault(`it is not valid CEL: ${hintOf(text, start) ?? lowerFirst(error.summary)}`, start);
    }
    throw error;
  }
}

/** Signs and words of SQL and of programming languages at which the parser stops, and how CEL writes them. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/^and\b/i, 'and is written as &&'],
  [/^or\b/i, 'or is written as ||'],
  [/^not\s+in\b/i, 'not in is written as !(value in list)'],
  [/^in\b/i, 'in is written in small letters'],
  [/^is\b/i, 'is does not exist; write has(item.…) for a column with a value, and == for a comparison'],
  [/^(like|contains|starts|ends)\b/i, 'texts are searched with item.name.contains("…"), startsWith and endsWith'],
  [/^between\b/i, 'between does not exist; write item.… >= 1 && item.… <= 2'],
  [/^&/, 'and is written as &&'],
  [/^\|/, 'or is written as ||'],
  [/^=[<>]/, 'comparisons are written as <= and >='],
  [/^=/, 'a comparison is written as =='],
  [/^[‘’‚“”„«»]/, 'texts are written in straight quotes, as "text"'],
  [/^,\d/, 'decimals are written with a point'],
  [/^;/, 'an expression has no semicolon'],
];

/** Returns how CEL writes what the parser stopped at; null if that is not known. */
function hintOf(text: string, start: number): string | null {
  const rest = text.slice(start);
  const before = text.slice(0, start);
  if (/\bnot\s+$/i.test(before)) return 'not is written as !';
  if (before.endsWith('<') && rest.startsWith('>')) return 'a comparison is written as !=';
  return habits.find(([pattern]) => pattern.test(rest))?.[1] ?? null;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
