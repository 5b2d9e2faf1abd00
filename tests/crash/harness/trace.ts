/** A system call that returned without an error. */
export interface TracedCall {
  name: string;
  /** Path of the file descriptor, as shown by strace -y. */
  path: string;
  /** Line of strace output, or both halves of an interrupted line. */
  text: string;
}

/** Parses the output of `strace -f -y`. Returns the calls in the order in which they returned. */
export function parseTrace(trace: string): TracedCall[] {
  const begun = new Map<string, string>();
  const calls: TracedCall[] = [];
  for (const line of trace.split('\n')) {
    const [, thread = '', said = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (said.endsWith('<unfinished ...>')) {
      begun.set(thread, said.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(said);
    const text = resumed === null ? said : (begun.get(thread) ?? '') + said.slice(resumed[0].length);
    const call = /^(\w+)\(\d+<(.*?)>[,)]/.exec(text.trimEnd());
    if (call === null || !/= \d+$/.test(text)) continue;
    calls.push({ name: call[1] ?? '', path: call[2] ?? '', text });
  }
  return calls;
}
