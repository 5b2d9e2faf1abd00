/**
 * Text as a terminal may show it. Names in certificates, and what gateways and endpoints say, are written by strangers: nothing
 * of them may move the cursor, hide what stands before, or turn the direction of writing.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
