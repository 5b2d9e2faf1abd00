import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainJson, isJsonObject } from './checkJsonObject.ts';

function check(text: string): boolean {
  const bytes = Buffer.from(`{${text}}`);
  return isJsonObject(bytes, 1, bytes.length - 1);
}

function isObjectForPlatform(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

describe('metadata is a JSON object', () => {
  it('for every object that the platform writes, compact or indented', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), fc.boolean(), (value, indented) => {
      expect(check(JSON.stringify(value, null, indented ? 2 : 0))).toBe(true);
    }), { numRuns: 300 });
  });

  it('exactly where the platform reads one, for texts near to JSON', () => {
    const piece = fc.constantFrom(
      '{', '}', '[', ']', '"', '"a"', ':', ',', '0', '1', '-', '.', 'e', 'E+2', 'true', 'false', 'null', ' ', '\n', '\\', '\\n', '\\u00e', '\\u00e9', 'x', '\t', 'é',
    );
    const near = fc.oneof(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 6 }).map((parts) => ['{"a":', ...parts, '}']));
    fc.assert(fc.property(near, (parts) => {
      const text = parts.join('');
      expect(check(text)).toBe(isObjectForPlatform(text));
    }), { numRuns: 5_000 });
  });

  it.each(['{}', ' {} ', '{"a":-0.5e+10}', '{"a":{"b":[{},[],null]}}', '{"\\ud800":"\\u0000"}'])('%s', (text) => {
    expect(check(text)).toBe(true);
  });

  it.each(['', '[]', '1', 'null', '"{}"', '{} {}', '{"a"}', '{"a":1,}', "{'a':1}", '{"a":01}', '{"a":1.}', '{"a":+1}', '{"a":"\n"}', '{"a":NaN}', '{"a":"\\x"}'])(
    'not %j', (text) => {
      expect(check(text)).toBe(false);
      if (text !== '') expect(explainJson(text)).toMatch(/is (not JSON|a JSON)/);
    },
  );

  it('of at most 64 levels', () => {
    const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    expect([check(nested(64)), check(nested(65))]).toEqual([true, false]);
    expect(check(`{"a":${'['.repeat(30_000)}`)).toBe(false);
    expect(explainJson(nested(65))).toContain('64 levels');
  });
});
