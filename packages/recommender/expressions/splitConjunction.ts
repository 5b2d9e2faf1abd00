/** A string literal, with its prefix, a comment, an operator, a bracket or any other character, in the syntax of CEL. */
const tokens = /[rR][bB]?(?:"""[^]*?"""|'''[^]*?'''|"[^"]*"|'[^']*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/.*|&&|[^]/g;

/**
 * Splits the text of a valid expression whose root is `&&` into the operands, as they are written.
 * @example splitConjunction('a && (b || c)') // ['a', '(b || c)']
 */
export function splitConjunction(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '(' || token === '[' || token === '{') depth += 1;
    else if (token === ')' || token === ']' || token === '}') depth -= 1;
    else if (token === '&&' && depth === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + token.length;
    }
  }
  return [...parts, text.slice(start).trim()];
}
