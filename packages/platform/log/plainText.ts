/**
 * Escapes text for a terminal. Certificates, gateways and RPC endpoints contain text from untrusted sources, which must not move the cursor, hide
 * earlier output or reverse the writing direction.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
