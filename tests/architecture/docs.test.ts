import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCommandBlocks, triedGuides, triedTutorials } from '../e2e/harness/commandBlocks.ts';
import { loadSources, root, type SourceFile } from './sourceText.ts';

/** All documents for readers, except the change log, which may name files that no longer exist. */
const documents = [
  ...loadSources('.', (path) => /^[^/]+\.md$/.test(path) && path !== 'CHANGELOG.md'),
  ...['docs', 'examples', 'bench', 'packages'].flatMap((folder) => loadSources(folder, (path) => path.endsWith('.md'))),
];

const code = ['packages', 'tests', 'bench', 'examples', 'scripts', '.ci'].flatMap((folder) =>
  loadSources(folder, (path) => /\.(?:ts|js|mjs|json)$|^\.ci\//.test(path) && !path.startsWith('tests/architecture/')),
);
const isTest = (path: string): boolean => path.endsWith('.test.ts');

interface Mention {
  text: string;
  where: string;
}

/** Returns code spans in backticks and the lines of code blocks, with their positions. */
function codeIn({ path, text }: SourceFile): Mention[] {
  const mentions: Mention[] = [];
  let inBlock = false;
  text.split('\n').forEach((line, number) => {
    const where = `${path}:${number + 1}`;
    if (/^\s*(?:```|~~~)/.test(line)) inBlock = !inBlock;
    else if (inBlock) mentions.push({ text: line, where });
    else for (const match of line.matchAll(/`([^`]+)`/g)) mentions.push({ text: match[1] as string, where });
  });
  return mentions;
}

const topEntries = readdirSync(root).filter((name) => !['node_modules', 'data', '.git'].includes(name));

/** Expands braces: `a/{b,c}/d` becomes `a/b/d` and `a/c/d`. */
function expandBraces(path: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (match === null) return [path];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expandBraces(before + choice.trim() + after));
}

/** Returns the repository paths in a code span: words whose first part is a folder or file of the root. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w./:@$<-])(?:\.\/)?([\w.-]+(?:\/[\w.@{},*-]+)*\/?)/g)]
    .map((match) => (match[1] as string).replace(/[.,:]+$/, ''))
    .filter((path) => topEntries.includes(path.split('/')[0] as string) && (path.includes('/') || path.includes('.')))
    .flatMap(expandBraces)
    // A pattern with * is checked as the folder before the *.
    .map((path) => path.replace(/\/?[^/]*\*.*$/, ''));
}

function missingPaths(document: SourceFile): string[] {
  const inCode = codeIn(document).flatMap(({ text, where }) =>
    pathsIn(text).filter((path) => !existsSync(join(root, path))).map((path) => `${where} names ${path}`),
  );
  const links = [...document.text.matchAll(/\]\((?![a-z]+:|#|\/)([^)#\s]+)/g)]
    .map((match) => posix.join(posix.dirname(document.path), match[1] as string))
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `${document.path} links to ${path}`);
  return [...inCode, ...links];
}

/** Whether a variable exists, in a settings schema (key: the variable without VOUCH_, in lower case) or in tests only. */
function knownVariable(variable: string): boolean {
  const key = new RegExp(`\\b${variable.slice('VOUCH_'.length).toLowerCase()}['"]?\\s*:`);
  return code.some(({ path, text }) =>
    path.startsWith('packages/')
      ? !isTest(path) && ((/settings|config/i.test(path) && key.test(text)) || new RegExp(`['"\`.]${variable}\\b`).test(text))
      : new RegExp(`\\b${variable}\\b`).test(text),
  );
}

let errorCodes = new Set<string>();

/** Reads the codes of all error catalogues: the exported values with `entries`, in files whose names end in Errors. */
async function listErrorCodes(): Promise<Set<string>> {
  const files = code.filter(({ path, text }) => path.startsWith('packages/') && !isTest(path) && /=\s*defineErrors\(/.test(text));
  // The name by which Vite knows a module: imported at once under this name and a file URL, a module is evaluated twice, and later test files of the process find two classes `Problem`.
  const modules = await Promise.all(files.map(({ path }) => import(/* @vite-ignore */ `/${path}`) as Promise<Record<string, unknown>>));
  const catalogues = modules.flatMap((module) => Object.values(module)) as ({ entries?: object } | null | undefined)[];
  return new Set(catalogues.flatMap((value) => Object.keys(value?.entries ?? {})));
}

/** Returns the error codes in prose: words in backticks after a 4xx or 5xx status, or after `code`. */
function codesIn(text: string): string[] {
  const after = [...text.matchAll(/\b[45]\d\d\b[^`\n]{0,12}`([a-z]+(?:-[a-z]+)+)`/g)];
  const labelled = [...text.matchAll(/"?\bcode"?:\s*"?([a-z]+(?:-[a-z]+)+)\b/g)];
  return [...after, ...labelled].map((match) => match[1] as string);
}

/** Returns the command and the options after `vouch` in a code span. `npm run demo -- --once` counts as `vouch demo --once`. */
function commandLines(text: string): { command: string | null; options: string[] }[] {
  const calls = text.matchAll(/(?:^|[\s(])(?:vouch|npm (?:run )?(?:demo|start))(?=\s)((?:\s+[^\s`|&;#]+)*)/g);
  return [...calls].map((match) => {
    const words = (match[1] as string).trim().split(/\s+/);
    const first = words[0] ?? '';
    return {
      command: /^[a-z]+$/.test(first) && match[0].includes('vouch ') ? first : null,
      options: words.flatMap((word) => /^--[a-z][\w-]*/.exec(word)?.[0] ?? []),
    };
  });
}

const program = code.filter(({ path }) => path.startsWith('packages/vouch/') && !isTest(path)).map(({ text }) => text).join('\n');

function unknownCommands({ text, where }: Mention): string[] {
  return commandLines(text).flatMap(({ command, options }) => [
    ...(command === null || new RegExp(`['"\`]${command}\\b`).test(program) ? [] : [`${where} names the command ${command}`]),
    ...options
      .filter((option) => option !== '--help' && option !== '--version' && !new RegExp(`${option}\\b(?!-)`).test(program))
      .map((option) => `${where} names the option ${option}`),
  ]);
}

function unknownScripts({ text, where }: Mention, scripts: Readonly<Record<string, string>>): string[] {
  return [...text.matchAll(/\bnpm run ([\w:]+)/g)]
    .filter((match) => scripts[match[1] as string] === undefined)
    .map((match) => `${where} names the script ${match[1]}`);
}

beforeAll(async () => {
  errorCodes = await listErrorCodes();
});

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    expect(documents.flatMap(missingPaths)).toEqual([]);
  });

  it('name only variables that the settings know', () => {
    const unknown = documents.flatMap(codeIn).flatMap(({ text, where }) =>
      // A name that ends in an underscore is a prefix of several variables.
      [...text.matchAll(/\bVOUCH_[A-Z0-9_]*[A-Z0-9]\b/g)]
        .filter((match) => !knownVariable(match[0]) && !setByDocument(where, match[0]))
        .map((match) => `${where} names ${match[0]}`),
    );
    expect(unknown).toEqual([]);
  });

  it('name only error codes of the catalogues', () => {
    expect(errorCodes.has('malformed-request')).toBe(true);
    const inProse = documents.flatMap(({ path, text }) =>
      codesIn(text).filter((found) => !errorCodes.has(found)).map((found) => `${path} names the code ${found}`),
    );
    const pages = documents
      .filter(({ path }) => dirname(path) === 'docs/errors' && !path.endsWith('README.md'))
      .filter(({ path }) => !errorCodes.has(posix.basename(path, '.md')))
      .map(({ path }) => `${path} is a page of no code`);
    expect([...inProse, ...pages]).toEqual([]);
  });

  it('have a number for each decision, which stands in its title too', () => {
    const records = documents.filter(({ path }) => path.startsWith('docs/decisions/'));
    const numbers = records.map(({ path }) => posix.basename(path).slice(0, 4));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    expect(records.map(({ text }) => text.slice(2, 6))).toEqual(numbers);
  });

  it('name only commands and options of the program, and scripts of the package', () => {
    const { scripts } = JSON.parse(loadSources('.', (path) => path === 'package.json')[0]?.text ?? '{}') as {
      scripts: Record<string, string>;
    };
    const mentions = documents.flatMap(codeIn);
    expect(mentions.flatMap(unknownCommands)).toEqual([]);
    expect(mentions.flatMap((mention) => unknownScripts(mention, scripts))).toEqual([]);
  });
});

describe('the comparison', () => {
  const page = documents.find(({ path }) => path === 'docs/guides/comparison.md')?.text ?? '';
  const measured = page.split('**Measured**').slice(1).map((text) => text.split('\n\nWhat ')[0] as string);

  it('takes its figures from the tables that it links', () => {
    expect(measured.length).toBe(3);
    const foreign = measured.flatMap((text) => {
      const name = /\]\(\S+results\/(\S+\.md)\)/.exec(text)?.[1];
      const table = loadSources('bench/results', (path) => path === `bench/results/${name}`)[0]?.text ?? '';
      const figures = [...text.replaceAll(/`[^`]*`|\([^)]*\/[^)]*\)/g, '').matchAll(/(?<![\d.])(?:\d?\.\d{3,4}|\d{1,3},\d{3})(?![\d.])/g)].map(([figure]) => figure);
      expect(figures.length).toBeGreaterThan(3);
      return figures.filter((figure) => !table.includes(figure.replaceAll(',', '')));
    });
    expect(foreign).toEqual([]);
  });

  it('names the version of Vouch, the date, and a source for each other product', () => {
    const { version } = JSON.parse(loadSources('.', (path) => path === 'package.json')[0]?.text ?? '{}') as { version: string };
    expect(page).toMatch(new RegExp(`As of \\d+ [A-Z][a-z]+ \\d{4}, Vouch ${version}`));
    // Tables of figures name data sets instead of products.
    const products = page.replaceAll(/^\| data \|.*\n(?:\|.*\n)*/gm, '');
    const rows = [...products.matchAll(/^\| (?!\||Vouch|---)(\S.*)$/gm)].map(([, row = '']) => row);
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.filter((row) => !row.includes('](https://'))).toEqual([]);
  });
});

describe('the release notes', () => {
  it('are those of this version, and say how to update', () => {
    const { version } = JSON.parse(loadSources('.', (path) => path === 'package.json')[0]?.text ?? '{}') as { version: string };
    const page = documents.find(({ path }) => path === 'docs/guides/release-notes.md')?.text ?? '';
    expect(page).toMatch(new RegExp(`^# Release notes for ${version.replaceAll('.', '\\.')}\n`));
    expect(page).toContain(`vouch-${version}.tgz`);
    expect(page).toContain('\n## Update from ');
  });
});

describe('the command blocks', () => {
  const guides = documents.filter(({ path }) => /^(?:README|CONTRIBUTING|SECURITY)\.md$|^docs\/(?:guides|tutorials)\/|^examples\//.test(path));

  it('are run by tests/e2e/tryIt.test.ts or tutorials.test.ts, or give the reason why not', () => {
    const tried: readonly string[] = [...triedGuides, ...triedTutorials];
    const silent = guides.filter(({ path }) => !tried.includes(path)).flatMap(({ path, text }) =>
      findCommandBlocks(text).filter(({ notRun }) => notRun === null).map(({ line }) => `${path}:${line} is not run and gives no reason`));
    expect(silent).toEqual([]);
    expect(tried.filter((page) => !guides.some(({ path }) => path === page))).toEqual([]);
  });

  it('have the language sh, so that none escapes the test', () => {
    const unmarked = guides.filter(({ path }) => path !== 'docs/guides/commands.md').flatMap(({ path, text }) =>
      [...text.matchAll(/^```(?!sh$)[a-z]*\n((?!```)[^\n]*\n)*?(?:\$ )?(?:npx |npm |vouch |curl |\.\/verifier )/gm)].map(([block]) => `${path}: ${block.slice(0, 60)}`));
    expect(unmarked).toEqual([]);
  });
});

/** Examples may set a shell variable before they use it. */
function setByDocument(where: string, variable: string): boolean {
  const path = where.slice(0, where.lastIndexOf(':'));
  return documents.some((document) => document.path === path && document.text.includes(`export ${variable}=`));
}

describe('the reader of documents', () => {
  const document = (text: string): SourceFile => ({ path: 'docs/x.md', text });

  it('sees paths, with braces, patterns and links', () => {
    expect(missingPaths(document('`packages/nowhere/x.ts` and `packages/platform/{errors,nothing}`'))).toEqual([
      'docs/x.md:1 names packages/nowhere/x.ts', 'docs/x.md:1 names packages/platform/nothing',
    ]);
    expect(missingPaths(document('`packages/platform/errors/*.ts`, `package.json`, `./data/demo`, `https://a/packages/b`'))).toEqual([]);
    expect(missingPaths(document('[a](../package.json) [b](missing.md#part) [c](https://example.org/x)'))).toEqual([
      'docs/x.md links to docs/missing.md',
    ]);
  });

  it('sees codes, variables, commands and options', () => {
    expect(codesIn('answers 409 `model-not-there`, `ml-latest-small`; {"code": "some-code"}')).toEqual(['model-not-there', 'some-code']);
    expect(knownVariable('VOUCH_NOT_THERE_AT_ALL')).toBe(false);
    expect(knownVariable('VOUCH_TEST_DATA_ROOM_OF_NOBODY')).toBe(false);
    expect(commandLines('npx vouch serve --only recommender --no-worker')).toEqual([
      { command: 'serve', options: ['--only', '--no-worker'] },
    ]);
    expect(commandLines('npm run demo -- --once')).toEqual([{ command: null, options: ['--once'] }]);
    expect(unknownCommands({ text: 'vouch no-such', where: 'x' })).toEqual([]);
    expect(unknownCommands({ text: 'vouch nosuchcommand --no-such-option', where: 'x' })).toEqual([
      'x names the command nosuchcommand', 'x names the option --no-such-option',
    ]);
    expect(unknownScripts({ text: 'npm run nowhere', where: 'x' }, { test: 'x' })).toEqual(['x names the script nowhere']);
  });
});
