import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, type Node, type Pair, type YAMLMap } from 'yaml';
import { showName, type Fault } from './configurationFault.ts';

/** What stands behind a key of the file. */
export interface Given {
  /** Text of a single value as it is written, without quotes; null for anything else. */
  text: string | null;
  /** Texts of a list of single values; null for anything else. */
  list: readonly string[] | null;
  /** As YAML reads it, for keys with a structure of their own. */
  tree(): unknown;
}

export interface Entry {
  /** `chain.chain_id`; `chain` where no section holds it. */
  name: string;
  /** From 1. */
  line: number;
  given: Given;
}

/** A configuration has about 2 KB; an allow-list may make it longer. */
export const maxFileLength = 262_144;

/** What the parser's complaints mean. Its own sentences may hold parts of the file, which holds secrets. */
const complaints: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a key stands twice in its section; remove one of the two',
  TAB_AS_INDENT: 'a tab indents this line; YAML takes blanks only',
  BAD_INDENT: 'this line is indented differently from its neighbours',
  MULTIPLE_DOCS: 'a second document begins here (---); one file is one configuration',
  MISSING_CHAR: 'a quote, bracket, colon or blank is missing in this line or the one before',
  BAD_ALIAS: 'anchors and aliases (& and *) are not read; write the value itself, in quotes where it begins with one of them',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape that YAML does not know; use single quotes',
  BAD_SCALAR_START: 'a value begins with a character that YAML keeps for itself (@ or `); put it into quotes',
};

/** A configuration has three levels. */
const maxLevels = 100;

/**
 * Whether brackets, or dashes on one line, open more levels than a configuration has. The parser recurses; with its stack almost full, V8 may
 * end the whole process ("RegExpCompiler Allocation failed") instead of throwing.
 */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (const character of text) {
    if (character === '[' || character === '{') level += 1;
    else if (character === ']' || character === '}') level = Math.max(0, level - 1);
    if (level > maxLevels) return true;
  }
  return new RegExp(`(?:[-?:][ \\t]+){${maxLevels}}`).test(text);
}

/**
 * Every key of the file with its line. One level of sections; deeper levels belong to the value.
 * @param faults gets a sentence for each line that is no YAML
 */
export function parseYaml(text: string, file: string, faults: Fault[]): Entry[] {
  const lineCounter = new LineCounter();
  const where = (offset: number): string => `${file}, line ${lineCounter.linePos(offset).line}`;
  const fault = (offset: number, sentence: string): void => {
    // The parser complains of each token of a line that it cannot read.
    if (!faults.some((known) => known.where === where(offset) && known.sentence === sentence)) faults.push({ where: where(offset), sentence });
  };
  if (isTooDeep(text)) {
    faults.push({ where: file, sentence: 'it cannot be read as YAML: it is nested too deeply.' });
    return [];
  }
  const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: false, logLevel: 'error' });
  for (const { code, pos } of document.errors.slice(0, 20)) {
    fault(pos[0], `${complaints[code] ?? 'this line cannot be read as YAML: compare it with the example'}.`);
  }
  if (document.errors.length > 0) return [];
  const root: Node | null = document.contents;
  if (root === null) return [];
  if (!isMap(root)) {
    fault(root.range?.[0] ?? 0, 'the file must consist of sections such as "chain:", each with its keys indented below it.');
    return [];
  }
  return entriesOf(root, '', (offset) => lineCounter.linePos(offset).line, fault);
}

function entriesOf(map: YAMLMap, prefix: string, lineAt: (offset: number) => number, fault: (offset: number, sentence: string) => void): Entry[] {
  return map.items.flatMap((pair: Pair): Entry[] => {
    const { key, value } = pair;
    const offset = isScalar(key) || isMap(key) || isSeq(key) ? (key.range?.[0] ?? 0) : 0;
    if (!isScalar(key)) {
      fault(offset, 'a key must be plain text.');
      return [];
    }
    const name = `${prefix}${key.source ?? String(key.value)}`;
    if (isAlias(value)) {
      fault(offset, `${showName(name)}: ${complaints['BAD_ALIAS']}.`);
      return [];
    }
    if (prefix === '' && isMap(value)) return entriesOf(value, `${name}.`, lineAt, fault);
    return [{ name, line: lineAt(offset), given: givenOf(value) }];
  });
}

function givenOf(value: unknown): Given {
  return {
    text: isScalar(value) ? textOf(value) : value === null ? '' : null,
    list: isSeq(value) && value.items.every((item) => isScalar(item)) ? value.items.map((item) => (isScalar(item) ? textOf(item) : '')) : null,
    tree: () => (isMap(value) || isSeq(value) ? (JSON.parse(JSON.stringify(value)) as unknown) : isScalar(value) ? value.value : null),
  };
}

/** As it is written: a bare 0x… or 1.10 would be a number to YAML and lose digits. An empty text stands for none. */
function textOf(scalar: Scalar): string {
  if (scalar.value === null && scalar.type === Scalar.PLAIN) return '';
  return scalar.source ?? String(scalar.value);
}
