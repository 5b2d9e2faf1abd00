import type { ConformanceSuite } from '@vouch/platform/conformance/context';
import { chapters, deviations, notes } from './statements.ts';

/**
 * Renders the documentation page with all statements, their checks, and the deviations of Vouch. The heading line is not
 * included.
 */
export function statementsPage(suites: readonly ConformanceSuite[]): string {
  const rows = suites.flatMap(({ rows: ofSuite }) => ofSuite);
  const count = chapters.reduce((sum, { says }) => sum + Object.keys(says).length, 0);
  const parts = chapters.map(({ title, says }) => {
    const lines = Object.entries(says).map(([number, text]) => {
      const shown = rows.filter(({ statement }) => statement === number).map(({ shows }) => shows);
      return `| ${number}${deviations[number] === undefined ? '' : ' **deviates**'} | ${cell(text)} | ${shown.map(cell).join('<br>')} |`;
    });
    return `## ${title}\n\n| | statement | checks |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Conformance

The specification of the interfaces, as ${count} numbered statements in our own words, and the ${rows.length} checks of these statements. A test
runs every check against a served Vouch, and against wrong servers that each check must reject. Where the specification leaves a
detail open (status codes, columns of the CSV, fields of records), the checks expect what Vouch documents.

To run the checks against a server:

\`\`\`sh
npx vouch conformance https://vouch.example --key "$KEY" --gateway-url https://vouch.example --media-url https://media.example/clip.mp4
\`\`\`

Use the key of an organization that you created for the checks. The command uploads small batches under a tag of its own, trains models of
them, and deletes the batches afterwards. Models remain, because the interface cannot delete models. Checks that the key has no permission for, and checks that only
Vouch’s own test can set up (callbacks, further keys, a local chain, the node program), are skipped and listed with the reason.

## Deviations

| | behavior of Vouch, and the reason |
|---|---|
${Object.entries(deviations).map(([number, text]) => `| ${number} | ${cell(text)} |`).join('\n')}

## Notes

| | condition |
|---|---|
${Object.entries(notes).map(([number, text]) => `| ${number} | ${cell(text)} |`).join('\n')}

${parts.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
