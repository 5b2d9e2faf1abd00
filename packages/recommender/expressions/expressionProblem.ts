import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { ExpressionFault } from './expressionValue.ts';
import { parseExpression } from './parseExpression.ts';

type Parameter = 'filter' | 'boost';

/** Checks the syntax of an expression where its columns are not known yet. @param location in the request @throws Problem invalid-expression */
export function parsePart(parameter: Parameter, text: string, location: string = parameter): void {
  orProblem(parameter, text, () => parseExpression(text), location);
}

/** Returns the result of `compile`. @param location in the request @throws Problem invalid-expression instead of an ExpressionFault */
export function orProblem<Result>(parameter: Parameter, text: string, compile: () => Result, location: string = parameter): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    const detail = describeFault(parameter, text, error);
    throw recommenderErrors.problem('invalid-expression', detail, { errors: [{ location, detail }] });
  }
}

/** Returns the sentence of a fault: the character, the text there and the reason. */
export function describeFault(parameter: Parameter, text: string, { position, message }: ExpressionFault): string {
  const near = position === 0 ? '' : `, at ${JSON.stringify(text.slice(position, position + 30))}`;
  return `${parameter} cannot be used: at character ${position + 1}${near}, ${message}.`;
}
