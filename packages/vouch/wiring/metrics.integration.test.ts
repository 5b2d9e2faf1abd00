import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { version } from './version.ts';
import { fetchMetrics } from '../testing/fetchMetrics.ts';

const page = new URL('../../../docs/guides/metrics.md', import.meta.url);
/** prom-client reads these metrics from /proc. */
const linuxOnly = new Set([
  'process_virtual_memory_bytes', 'process_heap_bytes', 'process_open_fds', 'process_max_fds',
]);

async function readGuide(meant: (name: string) => boolean): Promise<Record<string, string>> {
  const rows = [...(await readFile(page, 'utf8')).matchAll(/^\| `(\w+)` \| (\w+) \|/gm)];
  return Object.fromEntries(rows.flatMap(([, name = '', type = '']) => (meant(name) ? [[name, type]] : [])));
}

it('every metric that the server answers is in the guide with its type, and the guide names no other', async () => {
  const text = await fetchMetrics();
  const answered = Object.fromEntries([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const documented = await readGuide((name) => !name.startsWith('verifier_'));
  const expected = process.platform === 'linux' ? documented
    : Object.fromEntries(Object.entries(documented).filter(([name]) => !linuxOnly.has(name)));
  expect(answered).toEqual(expected);
  expect(text).toContain(`vouch_build_info{version="${version}",node="${process.versions.node}"} 1`);
});

it('every metric of a node is in the guide with its type, and the guide names no other', async () => {
  const source = await readFile(new URL('../../verifier/node/serveHealth.ts', import.meta.url), 'utf8');
  const made = Object.fromEntries([...source.matchAll(/\['(verifier_\w+)', '(\w+)'/g)].map(([, name = '', type = '']) => [name, type]));
  expect(made).not.toEqual({});
  expect(await readGuide((name) => name.startsWith('verifier_'))).toEqual(made);
});
