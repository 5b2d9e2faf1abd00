import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { plainText } from '@vouch/platform/log/plainText';
import type { CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { endsSoon } from '../doctor/collateralFindings.ts';

/** One row of the table; dates are ISO 8601. */
interface FreshnessRow {
  state: string;
  what: string;
  issued: string | null;
  until: string | null;
}

/** Formats a table of all parts: issue date, expiry date, and the time left at a date. */
export function describeRows(rows: readonly FreshnessRow[], date: Date): string {
  const cells = [
    ['STATE', 'WHAT', 'ISSUED', 'NEXT UPDATE', 'LEFT'],
    ...rows.map(({ state, what, issued, until }) => [state, plainText(what), shortDate(issued), shortDate(until), leftUntil(until, date)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => (row[column] ?? '').length)) + 2);
  return cells.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('').trimEnd()}\n`).join('');
}

/** Says whether votes are possible with a folder of collateral, and until when. */
export function describeVerdict(folder: string, { complete, validUntil, platforms }: CollateralReport, date: Date): string {
  if (!complete) return `The collateral in ${folder} is not sufficient for votes. Run verifier collateral update to fetch the missing parts. Without collateral, a node does not vote and raises an alarm.\n`;
  return `Complete until ${validUntil}${endsSoon(validUntil, date) ? ': renew it before then (verifier collateral update)' : ''}. Platforms: ${platforms.join(', ')}.\n`;
}

/** Formats the time left, such as `12 d 3 h`; says "over" for an expired part. */
export function leftUntil(until: string | null, date: Date): string {
  if (until === null) return '-';
  const seconds = Math.floor((Date.parse(until) - date.getTime()) / 1_000);
  return seconds >= 0 ? describeSeconds(seconds) : 'over';
}

function shortDate(time: string | null): string {
  return time === null ? '-' : time.replace(/\.\d{3}Z$/, 'Z');
}
