const signatures: readonly (readonly [string, string])[] = [
  ['504b0304', 'a ZIP or spreadsheet file (.zip, .xlsx); export it as CSV'],
  ['50415231', 'a Parquet file; export it as CSV'],
  ['d0cf11e0', 'an old spreadsheet file (.xls); export it as CSV'],
  ['fffe', 'text in UTF-16; save it as UTF-8'],
  ['feff', 'text in UTF-16; save it as UTF-8'],
  ['1f8b', 'compressed with gzip twice; compress it once'],
  ['28b52ffd', 'compressed with zstd; send it plain or with gzip'],
  ['425a68', 'compressed with bzip2; send it plain or with gzip'],
  ['fd377a58', 'compressed with xz; send it plain or with gzip'],
  ['7b', 'JSON; write it as CSV with the columns id,type,name,metadata,media_url or type,source_id,target_id,timestamp,metadata'],
  ['5b', 'JSON; write it as CSV with the columns id,type,name,metadata,media_url or type,source_id,target_id,timestamp,metadata'],
  ['25504446', 'a PDF file; export the table as CSV'],
];

/** Describes a file that cannot be CSV in UTF-8, from its first bytes; returns null if the file may be CSV. */
export function recogniseForeignFile(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 4)).toString('hex');
  for (const [signature, description] of signatures) {
    if (start.startsWith(signature)) return `the file is not CSV but ${description}`;
  }
  return null;
}
