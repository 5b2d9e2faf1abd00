import { describe, expect, it } from 'vitest';
import { importsOf, loadSources, stripSource } from './sourceText.ts';

describe('the reader of imports', () => {
  it('finds every form of import with its line', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '@vouch/platform/log/logger';",
      'import * as c from "c";',
      "import './effect.ts';",
      "export { d } from './d.ts';",
      "export * from './e.ts';",
      "const f = await import('./f.ts');",
      "type G = import('./g.ts').G;",
      'import {',
      '  h,',
      "} from './h.ts';",
      "import j, { type K } from './j.ts';",
    ].join('\n');
    expect(importsOf(text).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
      '1 ./a.ts', '2 @vouch/platform/log/logger', '3 c', '4 ./effect.ts', '5 ./d.ts', '6 ./e.ts', '7 ./f.ts', '8 ./g.ts',
      '11 ./h.ts', '12 ./j.ts',
    ]);
  });

  it('names the values of an import, none of a type', () => {
    const named = (text: string): readonly string[] | undefined => importsOf(text)[0]?.names;
    expect(named("import { a, b as c, type D } from 'x'")).toEqual(['a', 'b']);
    expect(named("import e, { f } from 'x'")).toEqual(['default', 'f']);
    expect(named("export { g as h } from 'x'")).toEqual(['g']);
    for (const all of ["import * as i from 'x'", "export * from 'x'", "await import('x')", "import 'x'"]) expect(named(all)).toEqual(['*']);
    expect(named("import type { J } from 'x'")).toEqual([]);
  });

  it('takes no import from comments and none that only looks like one', () => {
    const text = "// import 'a';\n/* import('b') */\nconst from = 1;\nexport const text = 'c';\nexport function f() { return 'd'; }\nimport.meta.resolve('e');";
    expect(importsOf(text)).toEqual([]);
  });
});

describe('stripping', () => {
  const strip = (text: string): string => stripSource(text, false).replaceAll(/\s+/g, ' ').trim();

  it('blanks comments, strings and regular expressions, and keeps what runs', () => {
    expect(strip('a(); // fetch()')).toBe('a();');
    expect(strip("x = 'fetch()' + \"Date.now\";")).toBe('x = + ;');
    expect(strip('y = `a ${fetch(1)} b ${`c ${Date.now()}`}`;')).toBe('y = ` ${fetch(1)} ${` ${Date.now()}`}`;');
    expect(strip('z = text.replace(/"/g, 1) / 2 / fetch();')).toBe('z = text.replace( , 1) / 2 / fetch();');
    expect(strip('f(() => { return `${{ a: { b: 1 } }}`; }); // x')).toBe('f(() => { return `${{ a: { b: 1 } }}`; });');
  });

  it('keeps the line numbers', () => {
    expect(stripSource('/* a\nb */\n`c\nd`\ne', false).split('\n')).toHaveLength(5);
  });

  it('reads every source of the repository to balanced brackets, so that nothing is blanked that runs', () => {
    // Not the text in JSX, which is only in the console; the console may make direct calls.
    const unbalanced = loadSources('.', (path) => path.endsWith('.ts')).filter(({ text }) => {
      const code = stripSource(text, false);
      return ['{}', '()', '[]'].some(([open, close]) => code.split(open as string).length !== code.split(close as string).length);
    });
    expect(unbalanced.map(({ path }) => path)).toEqual([]);
  });
});
