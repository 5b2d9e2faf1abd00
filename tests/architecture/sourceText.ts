import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** Path relative to the root of the repository, with slashes. */
  path: string;
  text: string;
}

/** One import, re-export, dynamic import or type import. */
export interface ImportStatement {
  specifier: string;
  line: number;
  /** Names of the imported values; `*` for all, `default` for the default export, empty for type imports. */
  names: readonly string[];
}

const skippedFolders = new Set(['node_modules', 'dist', 'data', 'results', '.git']);

/** Reads every file below a folder whose path passes the filter. Returns an empty list if the folder does not exist. */
export function loadSources(folder: string, wanted: (path: string) => boolean): SourceFile[] {
  const files: SourceFile[] = [];
  const visit = (absolute: string): void => {
    for (const entry of readdirSync(absolute, { withFileTypes: true })) {
      const path = join(absolute, entry.name);
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) visit(path);
      const fromRoot = relative(root, path).split(sep).join('/');
      if (entry.isFile() && wanted(fromRoot)) files.push({ path: fromRoot, text: readFileSync(path, 'utf8') });
    }
  };
  try {
    visit(join(root, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** After these tokens, a slash starts a regular expression; otherwise a slash is a division. */
const beforeRegex = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|yield|void|delete))\s*$/;

/**
 * Replaces comments in TypeScript by spaces, and also the contents of strings and regular expressions if `keepStrings` is false.
 * Line numbers are preserved, and code inside `${}` of templates is kept.
 */
export function stripSource(text: string, keepStrings: boolean): string {
  let output = '';
  let place = 0;
  // One entry per open template: the depth of braces inside its current ${}.
  const templates: number[] = [];
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  const take = (pattern: RegExp, keep: boolean): boolean => {
    pattern.lastIndex = place;
    const match = pattern.exec(text);
    if (match === null) return false;
    output += keep ? match[0] : blank(match[0]);
    place = pattern.lastIndex;
    return true;
  };
  const templatePart = (): void => {
    take(/(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y, keepStrings);
    if (take(/\$\{/y, true)) templates.push(0);
    else take(/`/y, true);
  };
  while (place < text.length) {
    const letter = text[place] as string;
    const open = templates.length - 1;
    if (take(/[^'"`/{}]+/y, true)) continue;
    if (take(/\/\/[^\n]*|\/\*[\s\S]*?\*\//y, false)) continue;
    if (take(/'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y, keepStrings)) continue;
    if (letter === '/' && beforeRegex.test(output.slice(-40))) {
      if (take(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, false)) continue;
    }
    output += letter;
    place++;
    if (letter === '`') templatePart();
    else if (letter === '{' && open >= 0) (templates[open] as number)++;
    else if (letter === '}' && open >= 0 && --(templates[open] as number) < 0) {
      templates.pop();
      templatePart();
    }
  }
  return output;
}

const importPattern =
  /(?<![.\w$])(?:import\s*\(\s*|import\s+(?=['"])|(?:import|export)\s+(?:type\s+)?[\w$*{][^;'"`()]*?\sfrom\s+)(['"])([^'"]+)\1/g;

/** Returns every import of a source text: static or dynamic, of values or types, with the line of the specifier. */
export function importsOf(text: string): ImportStatement[] {
  const code = stripSource(text, true);
  return [...code.matchAll(importPattern)].map((match) => ({
    specifier: match[2] as string,
    line: lineAt(code, match.index + match[0].length),
    names: importedNames(match[0]),
  }));
}

function importedNames(statement: string): string[] {
  if (/^(?:import|export)\s+type\b/.test(statement)) return [];
  const clause = /^(?:import|export)\s+([\s\S]*?)\s+from\b/.exec(statement)?.[1];
  if (clause === undefined || clause.includes('*')) return ['*'];
  const named = (/\{([^}]*)\}/.exec(clause)?.[1] ?? '').split(',').map((each) => each.trim()).filter((each) => each !== '' && !each.startsWith('type '));
  const standard = /^[\w$]/.test(clause) ? ['default'] : [];
  return [...standard, ...named.map((each) => each.split(/\s+as\s+/)[0] as string)];
}

/** Returns the line number of a position in a text, from 1. */
export function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}
