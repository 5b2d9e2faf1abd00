import { longestText, type ColumnFact, type ColumnType, type OmittedColumn } from '../data/column.ts';
import { parseTimestamp } from './columnValue.ts';
import { visitMembers, type Member } from './visitMembers.ts';

/** Maximum number of columns that a model keeps. */
const maxColumns = 128;
/** Maximum number of values of all columns, so that their arrays do not fill the memory of a training. */
const maxCells = 40_000_000;
/** Maximum number of different members that are counted, so that metadata with ids as keys does not fill the memory. */
const maxPaths = 10_000;

interface PathSurvey {
  count: number;
  numbers: number;
  bools: number;
  timestamps: number;
  texts: number;
  tooLong: number;
  lists: number;
  /** Lists with a member that is not a number. */
  textLists: number;
}

/**
 * Determines the columns of metadata: one per member path, with the type that all its values have. A path with lists is a list
 * column; a path with values of several types is a string column.
 * @returns the columns with the most values, ordered by name, and the omitted paths (at most 100)
 */
export function surveyColumns(metadata: Iterable<string>): { columns: ColumnFact[]; omitted: OmittedColumn[] } {
  const paths = new Map<string, PathSurvey>();
  for (const text of metadata) visitMembers(text, (path, value) => count(paths, path, value));
  const found = [...paths].map(([name, survey]) => ({ name, survey })).sort((a, b) => b.survey.count - a.survey.count || (a.name < b.name ? -1 : 1));
  const columns: ColumnFact[] = [];
  const omitted: OmittedColumn[] = [];
  let cells = 0;
  for (const { name, survey } of found) {
    const kept = survey.count - survey.tooLong;
    if (kept <= survey.tooLong) omitted.push({ name, reason: `most of its texts have more than ${longestText} characters` });
    else if (columns.length === maxColumns || cells + kept > maxCells) omitted.push({ name, reason: `${columns.length} columns with more values are kept` });
    else {
      cells += kept;
      columns.push({ name, type: typeOf(survey), count: kept });
    }
  }
  return { columns: columns.sort((a, b) => (a.name < b.name ? -1 : 1)), omitted: omitted.slice(0, 100) };
}

function count(paths: Map<string, PathSurvey>, path: string, value: Member): void {
  let survey = paths.get(path);
  if (survey === undefined) {
    if (paths.size === maxPaths) return;
    survey = { count: 0, numbers: 0, bools: 0, timestamps: 0, texts: 0, tooLong: 0, lists: 0, textLists: 0 };
    paths.set(path, survey);
  }
  if (typeof value === 'string') countText(survey, value);
  else {
    survey.count += 1;
    if (typeof value === 'number') survey.numbers += 1;
    else if (typeof value === 'boolean') survey.bools += 1;
    else {
      survey.lists += 1;
      if (value.some((member) => typeof member !== 'number')) survey.textLists += 1;
    }
  }
}

function countText(survey: PathSurvey, value: string): void {
  const text = value.trim();
  if (text === '') return;
  survey.count += 1;
  if (text.length > longestText) survey.tooLong += 1;
  // A path whose texts are not all timestamps is a string column, so later texts need no test.
  else if (survey.timestamps === survey.texts && !Number.isNaN(parseTimestamp(text))) survey.timestamps += 1;
  survey.texts += 1;
}

function typeOf(survey: PathSurvey): ColumnType {
  if (survey.lists > 0) return survey.textLists === 0 && survey.texts === 0 && survey.bools === 0 ? 'list<number>' : 'list<string>';
  if (survey.numbers === survey.count) return 'number';
  if (survey.bools === survey.count) return 'bool';
  return survey.timestamps === survey.count ? 'timestamp' : 'string';
}
