import { TableScanner, type ScanLimits, type ScanResult } from '../batches/scan/tableScanner.ts';
import { tableColumns } from '../batches/scan/columns.ts';
import { scannedForm } from '../batches/scan/rowBuffer.ts';

const wide: ScanLimits = { maxBytes: 1e9, maxRows: 1e7 };

/** Scans a whole file in memory, cut into chunks at the given offsets; for tests. */
export function scanText(
  content: string | Uint8Array, options: { cuts?: readonly number[]; limits?: Partial<ScanLimits> } = {},
): { result: ScanResult; rows: Record<string, string>[] } {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const blocks: Buffer[] = [];
  const scanner = new TableScanner('t.csv', { ...wide, ...options.limits }, (block) => blocks.push(Buffer.from(block)));
  let start = 0;
  for (const end of [...(options.cuts ?? []), bytes.length]) {
    // A copy that is overwritten after the call, as a pipe's buffer would be: the scanner must not keep the chunk.
    const chunk = Buffer.from(bytes.subarray(start, end));
    scanner.push(chunk);
    chunk.fill(0);
    start = end;
  }
  const result = scanner.end();
  return { result, rows: result.outcome === 'scanned' ? parseScanned(Buffer.concat(blocks).toString('utf8'), result.kind) : [] };
}

function parseScanned(text: string, kind: 'entity' | 'interaction'): Record<string, string>[] {
  const names = ['row', ...tableColumns[kind].map((rule) => rule.name)];
  return text.split('\n').slice(0, -1).map((line) => {
    const fields = line.split(String.fromCharCode(scannedForm.separator)).map(unescape);
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? 'missing']));
  });
}

function unescape(field: string): string {
  const letters = new Map<string, string>(scannedForm.letters.map(([byte, letter]) => [String.fromCharCode(letter), String.fromCharCode(byte)]));
  const [first = '', ...escaped] = field.split(String.fromCharCode(scannedForm.escape));
  return first + escaped.map((part) => (letters.get(part.charAt(0)) ?? 'unknown escape') + part.slice(1)).join('');
}
