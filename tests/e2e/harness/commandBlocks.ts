/** Documents whose command blocks tests/e2e/tryIt.test.ts runs from top to bottom, each document in a separate empty directory. */
export const triedGuides = ['docs/guides/verifier.md', 'docs/guides/video.md', 'README.md'] as const;

/** Documents that tests/e2e/tutorials.test.ts runs in the same way, and whose result the test looks at in a browser. */
export const triedTutorials = ['docs/tutorials/shop.md', 'docs/tutorials/video.md', 'docs/tutorials/node.md'] as const;

/** A fenced block of shell commands. */
export interface CommandBlock {
  /** Line of the opening fence, from 1. */
  line: number;
  commands: string;
  /** Reason in the comment `<!-- not run: reason -->` in the line before the block; null if the block is run. */
  notRun: string | null;
}

/** Finds the code blocks whose fence names the language `sh`. */
export function findCommandBlocks(markdown: string): CommandBlock[] {
  const lines = markdown.split('\n');
  const blocks: CommandBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at] !== '```sh') continue;
    const end = lines.indexOf('```', at);
    if (end < 0) throw new Error(`the block of line ${at + 1} has no end`);
    const [, notRun = null] = /^<!-- not run: (.+) -->$/.exec(lines[at - 1] ?? '') ?? [];
    blocks.push({ line: at + 1, commands: lines.slice(at + 1, end).join('\n'), notRun });
    at = end;
  }
  return blocks;
}
