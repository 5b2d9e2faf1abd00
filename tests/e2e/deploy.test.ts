import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@vouch/platform/testing/freePort';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../../packages/verifier/commands/commands.ts';
import { NodeWorld } from '../../packages/verifier/testing/nodeWorld.ts';
import { fetchMetrics } from '../../packages/vouch/testing/fetchMetrics.ts';
import { readByBuild } from '../../scripts/build/digestSources.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** Metrics with the labels that a query may use, as listed in the guide; the test compares the list with the exported series. */
const metrics = new Map<string, ReadonlySet<string>>();
/** Labels that Prometheus adds. */
const scraped = ['job', 'instance'];

beforeAll(async () => {
  const world = await NodeWorld.open({ operators: 1 });
  try {
    const port = await freePort();
    const { node } = world.configuration();
    await world.startActive(world.chain.operators[0]!, { node: { ...node, healthListen: { host: '127.0.0.1', port } } });
    const ofNode = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const text = `${ofNode}\n${await fetchMetrics()}`;
    const labels = new Map([...read('docs/guides/metrics.md').matchAll(/^\| `(\w+)` \| \w+ \| ([\w, ]*) \|/gm)].map(([, name = '', list = '']) => [name, list.split(',').map((label) => label.trim()).filter((label) => label !== '')]));
    for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const own = new Set([...(labels.get(name) ?? []), ...scraped]);
      for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) metrics.set(`${name}${part}`, part === '_bucket' ? new Set([...own, 'le']) : own);
    }
    for (const [, name = '', list = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
      for (const [, label = ''] of list.matchAll(/(\w+)="/g)) expect(metrics.get(name), `${name} has the label ${label}, which the guide does not name`).toContain(label);
    }
    metrics.set('up', new Set(scraped));
  } finally {
    await world.close();
  }
});

/** Returns the words of a query that are not existing metrics, or not labels of the metric. */
function faultsOf(query: string): string[] {
  const plain = query.replaceAll(/"[^"]*"/g, '""');
  const used = [...plain.matchAll(/([a-zA-Z_]\w*)(\{[^}]*\})?(?!\w|\s*\()/g)].filter(([, name = '']) => /^(?:vouch|verifier|process|nodejs)_|^up$/.test(name));
  const labels = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()));
  const known = new Set(used.flatMap(([, name = '']) => [...(metrics.get(name) ?? [])]));
  return [
    ...(used.length === 0 ? [`no metric in ${query}`] : []),
    ...used.flatMap(([, name = '', matchers = '']) => {
      const own = metrics.get(name);
      return own === undefined ? [`${name} is no metric`] : [...matchers.matchAll(/(\w+)(?==|!)/g)].flatMap(([, label = '']) => (own.has(label) ? [] : [`${name} has no label ${label}`]));
    }),
    ...labels.filter((label) => !known.has(label)).map((label) => `nothing in ${query} has the label ${label}`),
  ];
}

it('the check of queries finds a metric and a label that do not exist', () => {
  expect(faultsOf('sum by (kind) (vouch_gateway_queue_depht)')).toEqual(['vouch_gateway_queue_depht is no metric', 'nothing in sum by (kind) (vouch_gateway_queue_depht) has the label kind']);
  expect(faultsOf('max(vouch_gateway_batches{phase="sent"}) > 1')).toEqual(['vouch_gateway_batches has no label phase']);
  expect(faultsOf('time() > 1')).toEqual(['no metric in time() > 1']);
});

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}
const rules = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

describe('the alerts', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s asks for metrics that there are, and says what to do', (_name, { expr, labels, annotations }) => {
    expect(faultsOf(expr)).toEqual([]);
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.action).toMatch(/^[A-Z].{30,}\.$/);
    const settings = read('docs/guides/settings.md');
    for (const [name] of annotations.action.matchAll(/VOUCH_\w+/g)) expect(settings).toContain(`\`${name}\``);
    for (const [, name = ''] of annotations.action.matchAll(/(?:[Rr]un|then) verifier ((?:collateral )?[a-z]+)/g)) expect(commands.map((command) => command.name)).toContain(name);
    const known = new Set(metricsOf(expr).flatMap((name) => [...(metrics.get(name) ?? [])]));
    for (const [, label = ''] of `${annotations.summary}${annotations.action}`.matchAll(/\$labels\.(\w+)/g)) expect(known).toContain(label);
  });

  it.runIf(has('promtool'))('are rules that Prometheus takes, and fire when they should', () => {
    const run = (...given: string[]): { status: number | null; said: string } => {
      const { status, stdout, stderr } = spawnSync('promtool', given, { cwd: join(root, 'deploy/prometheus'), encoding: 'utf8' });
      return { status, said: stdout + stderr };
    };
    expect(run('check', 'rules', 'alerts.yml')).toMatchObject({ status: 0, said: expect.stringContaining(`${rules.length} rules found`) as string });
    expect(run('test', 'rules', 'alerts.test.yml')).toMatchObject({ status: 0 });
  });
});

function metricsOf(query: string): string[] {
  return [...query.matchAll(/\b((?:vouch|verifier|process|nodejs)_\w+|up)\b/g)].map(([, name = '']) => name);
}

interface Board {
  title: string;
  uid: string;
  panels: { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number }; targets: { expr: string; legendFormat: string }[] }[];
  templating: { list: { query: string }[] };
}

describe.each(readdirSync(join(root, 'deploy/grafana')))('the dashboard %s', (name) => {
  const board = JSON.parse(read(`deploy/grafana/${name}`)) as Board;

  it('shows metrics that there are', () => {
    expect(board.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => faultsOf(expr)))).toEqual([]);
    for (const { targets } of board.panels) {
      for (const { expr, legendFormat } of targets) {
        const known = new Set(metricsOf(expr).flatMap((metric) => [...(metrics.get(metric) ?? [])]));
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(known, expr).toContain(label);
      }
    }
    const [, , asked = ''] = /(label_values)\((\w+), job\)/.exec(board.templating.list[1]!.query) ?? [];
    expect(metrics.has(asked)).toBe(true);
  });

  it('has panels that do not cover each other', () => {
    const cells = board.panels.flatMap(({ gridPos: { x, y, w } }) => Array.from({ length: w }, (_, at) => `${x + at},${y}`));
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  });
});

describe('the systemd units', () => {
  const units = readdirSync(join(root, 'deploy/systemd'));

  it.runIf(has('systemd-analyze'))('are taken by systemd, and leave little to a program that was taken over', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vouch-units-'));
    try {
      for (const unit of units) {
        // The programs are not installed on the test machine, so /bin/true replaces them.
        writeFileSync(join(folder, unit), read(`deploy/systemd/${unit}`).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
        const verified = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, unit)], { encoding: 'utf8' });
        expect([verified.status, verified.stdout + verified.stderr]).toEqual([0, '']);
        const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(folder, unit)], { encoding: 'utf8' });
        expect(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(units)('%s does not start again what fails again at every start', (unit) => {
    expect(read(`deploy/systemd/${unit}`)).toMatch(/^RestartPreventExitStatus=2/m);
  });
});

describe.each(readdirSync(join(root, 'deploy/container')))('the container %s', (name) => {
  const text = read(`deploy/container/${name}`);

  const sources = [...text.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) => words.split(' ').slice(0, -1));

  it('copies everything that the build reads', () => {
    expect(Object.keys(readByBuild).filter((folder) => !sources.includes(folder))).toEqual([]);
  });

  it('copies only what is there and is not ignored, and runs as a user of no rights', () => {
    const kept = read('.dockerignore').split('\n').filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(sources.filter((source) => !existsSync(join(root, source)) || !kept.includes(source))).toEqual([]);
    expect(text.slice(text.lastIndexOf('FROM'))).toMatch(/^USER node$/m);
    expect(text).not.toMatch(/^ADD |--privileged/m);
  });
});
