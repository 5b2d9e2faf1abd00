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
    if (error instanceof ParseError) throw new ExpressionFault(`it is not valid CEL: ${lowerFirst(error.summary)}`, error.range?.start ?? 0);
    throw error;
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
