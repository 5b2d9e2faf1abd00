/** Number of characters of standard error that errors contain. */
const tailLength = 4096;

/** Keeps the last part of a child's standard error, and masks the values of its environment. */
export interface StderrTail {
  add(chunk: Buffer): void;
  text(): string;
}

/** @param secrets values to mask, e.g. those of the child's environment; values under 4 characters are not masked */
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
      // The kept part may begin with the end of a secret, which the replacement cannot recognize.
      return text.slice(cut ? longest : 0).slice(-tailLength);
    },
  };
}
