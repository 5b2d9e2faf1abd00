import { visitMembers, type Member } from '../../engine/columns/visitMembers.ts';
import type { TrainingData } from '../../engine/data/trainingData.ts';
import { idRoles } from './idRoles.ts';
import type { TextSurvey } from './trainingSnapshot.ts';

/** Number of entities that are looked at, evenly spread: all of a small catalogue, and some 50 ms of a large one. */
const sampled = 20_000;
/** Columns with fewer values say too little. */
const leastValues = 20;
/** Share of the values of a column that must have the form. */
const share = 0.9;
/** Number of columns that are counted; further ones are left out. */
const maxPaths = 200;
/** Longest member of a list that is written as one text. */
const longestPart = 40;
/** With more different members, the parts of a text are no list; with `maxPaths`, bounds the memory to about 100 MB. */
const maxMembers = 2_000;

const number = /^[$€£¥₹]?\s?[-+]?\d{1,3}(?:(?:[ ,.']\d{3})*|\d*)(?:[.,]\d{1,4})?\s?(?:[$€£¥₹%]|[A-Z]{3})?$/u;
const bool = /^(?:true|false|yes|no)$/i;
const date = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}[./]\d{1,2}[./]\d{1,2}$/;
/** UTF-8 that was read as Latin-1 or Windows-1252, the character that stands for unreadable bytes, and a character reference of HTML. */
const garbled = /[ÃÂ][\u0080-\u00bf]|â€|\ufffd|&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-f]{2,4});/iu;

interface Column {
  values: number;
  texts: number;
  numbers: number;
  forms: { number: number; bool: number; date: number };
  example: string;
  /** A text that is not a number, in a column of numbers. */
  other: string | null;
  separators: Map<string, { texts: number; parts: number; different: Set<string> }>;
}

/**
 * Finds metadata whose texts are numbers, truth values, dates or lists in another form than the columns of a model have, and names with broken characters.
 * Sources and entities of their types are left out: they are mostly people, whose texts the record of a training must not keep.
 */
export function surveyTexts(data: TrainingData): TextSurvey {
  const { nodes } = data;
  const isPerson = peopleOf(data);
  const columns = new Map<string, Column>();
  const step = Math.max(1, Math.floor(nodes.count / sampled));
  for (let node = 0; node < nodes.count; node += step) if (!isPerson(node)) visitMembers(nodes.metadata[node] ?? '', (path, value) => count(columns, path, value));
  const texts = [...columns].flatMap(([column, counted]) => describe(column, counted)).sort((a, b) => (a.column < b.column ? -1 : 1)).slice(0, 20);
  const names = nodes.names.filter((name, node) => garbled.test(name) && !isPerson(node));
  return { ...(texts.length === 0 ? {} : { texts }), ...(names[0] === undefined ? {} : { garbled_names: { count: names.length, example: names[0].slice(0, 100) } }) };
}

/** Whether a node is a source, or an entity of a type that sources have. */
function peopleOf(data: TrainingData): (node: number) => boolean {
  const { nodes } = data;
  const { isSource } = idRoles(data);
  const types = new Set(nodes.type.filter((type, node) => isSource[node] === 1 && type !== -1));
  return (node) => isSource[node] === 1 || types.has(nodes.type[node] as number);
}

function count(columns: Map<string, Column>, path: string, value: Member): void {
  let column = columns.get(path);
  if (column === undefined) {
    if (columns.size === maxPaths) return;
    column = { values: 0, texts: 0, numbers: 0, forms: { number: 0, bool: 0, date: 0 }, example: '', other: null, separators: new Map() };
    columns.set(path, column);
  }
  if (typeof value === 'string') countText(column, value.trim());
  else {
    column.values += 1;
    if (typeof value === 'number') column.numbers += 1;
  }
}

function countText(column: Column, text: string): void {
  if (text === '') return;
  column.values += 1;
  column.texts += 1;
  if (column.texts === 1) column.example = text.slice(0, 60);
  // Leading zeros and many digits are codes, such as post codes and ISBN.
  if (number.test(text) && !/^0\d|\d{7}/.test(text)) column.forms.number += 1;
  else {
    column.other ??= text.slice(0, 60);
    if (bool.test(text)) column.forms.bool += 1;
    else if (date.test(text)) column.forms.date += 1;
  }
  for (const separator of ['|', ';', ',']) if (text.includes(separator)) countParts(column, separator, text);
}

function countParts({ separators }: Column, separator: string, text: string): void {
  const parts = text.split(separator).map((part) => part.trim());
  if (parts.some((part) => part === '' || part.length > longestPart)) return;
  const found = separators.get(separator) ?? { texts: 0, parts: 0, different: new Set<string>() };
  separators.set(separator, found);
  found.texts += 1;
  found.parts += parts.length;
  if (found.different.size <= maxMembers) for (const part of parts) found.different.add(part);
}

function describe(column: string, { values, texts, numbers, forms, example, other, separators }: Column): NonNullable<TextSurvey['texts']> {
  if (values < leastValues) return [];
  if (texts > 0 && other !== null && texts < values && numbers >= share * values) return [{ column, form: 'mixed', example: other }];
  if (texts < share * values) return [];
  for (const form of ['number', 'bool', 'date'] as const) if (forms[form] >= share * texts) return [{ column, form, example }];
  for (const found of separators.values()) {
    // The members of a list repeat; the parts of sentences and of names hardly do.
    if (found.texts >= 0.3 * texts && found.texts >= leastValues / 2 && found.different.size <= maxMembers && found.different.size <= 0.2 * found.parts) return [{ column, form: 'list', example }];
  }
  return [];
}
