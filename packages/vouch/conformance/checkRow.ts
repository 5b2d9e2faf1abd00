import { RowSkipped, type ConformanceContext, type ConformanceRow } from '@vouch/platform/conformance/context';
import { chapters, deviations } from './statements.ts';

/** What came of a row. `deviates`: Vouch does something else than the statement says, and does that as documented. */
export type Verdict = 'holds' | 'deviates' | 'fails' | 'skipped';

export interface RowResult {
  /** Number of the statement. */
  statement: string;
  /** The statement itself. */
  says: string;
  /** How it was checked. */
  shows: string;
  verdict: Verdict;
  /** Why it fails, deviates or was skipped. */
  reason: string | null;
}

const says = new Map(chapters.flatMap((chapter) => Object.entries(chapter.says)));
const longestReason = 600;

/** Checks one row. Never rejects. */
export async function checkRow(row: ConformanceRow, context: ConformanceContext): Promise<RowResult> {
  const { statement, shows } = row;
  const deviation = deviations[statement] ?? null;
  const result = (verdict: Verdict, reason: string | null): RowResult => ({ statement, says: says.get(statement) ?? '', shows, verdict, reason });
  try {
    await row.check(context);
    return deviation === null ? result('holds', null) : result('deviates', deviation);
  } catch (error) {
    if (error instanceof RowSkipped) return result('skipped', error.message);
    return result('fails', describe(error));
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`.replaceAll(/\s+/g, ' ').slice(0, longestReason);
}
