/** Characters of standard error that are kept for the error. */
const tailLength = 4096;

/** Keeps the last part of what a child writes to standard error, with the values of its environment replaced. */
export interface StderrTail {
  add(chunk: Buffer): void;
  text(): string;
}

/** @param secrets values that must not appear, e.g. those of the child's environment; ones under 4 characters are left */
export function keepStderrTail(secrets: readonly string[]): StderrTail {
  const hidden = secrets.filter((value) => value.length >= 4).sort((a, b) => b.length - a.length);
  const longest = hidden[0]?.length ?? 0;
  let kept = Buffer.alloc(0);
  let cut = false;
  return {
    add(chunk) {
      const all = Buffer.concat([kept, chunk]);
      const bytes = 4 * (tailLength + longest);
      cut ||= all.length > bytes;
      kept = Buffer.from(all.subarray(Math.max(0, all.length - bytes)));
    },
    text() {
      let text = kept.toString('utf8');
      for (const value of hidden) text = text.replaceAll(value, '[secret]');
      // The cut may have left the end of a secret at the beginning.
      return text.slice(cut ? longest : 0).slice(-tailLength);
    },
  };
}
