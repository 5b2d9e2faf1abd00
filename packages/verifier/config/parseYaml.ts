import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, type Node, type Pair, type YAMLMap } from 'yaml';
import { showName, type Fault } from './configurationFault.ts';

/** The value of a key in the file. */
export interface Given {
  /** A single value as written, without quotes; null for lists and maps. */
  text: string | null;
  /** The items of a list of single values as written; null for anything else. */
  list: readonly string[] | null;
  /** The parsed YAML value, for keys with a structure of their own. */
  tree(): unknown;
}

export interface Entry {
  /** Name with its section: `chain.chain_id`. A key outside of a section has its plain name. */
  name: string;
  /** Line number, starting at 1. */
  line: number;
  given: Given;
}

/** Maximum size of a configuration file in bytes. A typical file has 2 KB; an allow-list can be much longer. */
export const maxFileLength = 262_144;

/** Messages for the parser's error codes. The parser's own messages can quote the file, which may contain secrets. */
const complaints: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a key appears twice in its section; remove one of the two',
  TAB_AS_INDENT: 'this line is indented with a tab; YAML allows only spaces',
  BAD_INDENT: 'the indentation of this line differs from its neighbours',
  MULTIPLE_DOCS: 'a second document begins here (---); a configuration file has only one document',
  MISSING_CHAR: 'a quote, bracket, colon or space is missing in this line or the previous line',
  BAD_ALIAS: 'anchors and aliases (& and *) are not supported; write the value itself, in quotes if it begins with one of these characters',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an unknown escape sequence; use single quotes',
  BAD_SCALAR_START: 'a value begins with a reserved character (@ or `); put the value into quotes',
};

/** Limit for isTooDeep. A valid configuration has three levels. */
const maxLevels = 100;

/**
 * Whether brackets, or dashes on one line, nest deeper than maxLevels. The parser is recursive; if its stack is almost full, V8 can
 * abort the process ("RegExpCompiler Allocation failed") instead of throwing an exception.
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
 * Parses the file into its keys with line numbers. Only the first level of maps is treated as sections; deeper maps are values.
 * @param faults receives a fault for each invalid line
 */
export function parseYaml(text: string, file: string, faults: Fault[]): Entry[] {
  const lineCounter = new LineCounter();
  const where = (offset: number): string => `${file}, line ${lineCounter.linePos(offset).line}`;
  const fault = (offset: number, sentence: string): void => {
    // The parser reports one error for each token of an invalid line.
    if (!faults.some((known) => known.where === where(offset) && known.sentence === sentence)) faults.push({ where: where(offset), sentence });
  };
  if (isTooDeep(text)) {
    faults.push({ where: file, sentence: 'the file cannot be parsed as YAML: it is nested too deeply.' });
    return [];
  }
  const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: false, logLevel: 'error' });
  for (const { code, pos } of document.errors.slice(0, 20)) {
    fault(pos[0], `${complaints[code] ?? 'this line cannot be parsed as YAML: compare it with the example'}.`);
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

/** Returns a scalar as written: YAML would read 0x… or 1.10 as a number and lose digits. An empty text means no value. */
function textOf(scalar: Scalar): string {
  if (scalar.value === null && scalar.type === Scalar.PLAIN) return '';
  return scalar.source ?? String(scalar.value);
}
