import { RowSkipped, type ConformanceContext, type ConformanceRow } from '@vouch/platform/conformance/context';
import { chapters, deviations } from './statements.ts';

/** Result of a check. `deviates`: Vouch differs from the statement in a documented way. */
export type Verdict = 'holds' | 'deviates' | 'fails' | 'skipped';

export interface RowResult {
  /** Number of the statement. */
  statement: string;
  /** Text of the statement. */
  says: string;
  /** How it was checked. */
  shows: string;
  verdict: Verdict;
  /** Why the check failed or was skipped, or why Vouch deviates from the statement. */
  reason: string | null;
}

const says = new Map(chapters.flatMap((chapter) => Object.entries(chapter.says)));
const longestReason = 600;

/** Runs one check. Never rejects: a failure becomes part of the result. */
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
