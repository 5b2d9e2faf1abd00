import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Manifest { apiVersion: string; kind: string }

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifests = join(root, 'deploy/kubernetes');
const folder = mkdtempSync(join(tmpdir(), 'vouch-kubernetes-schema-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Modules of `kubernetes-types` by group and version: types that are generated from the OpenAPI description of Kubernetes. */
const modules: Record<string, string> = {
  v1: 'core/v1', 'apps/v1': 'apps/v1', 'networking.k8s.io/v1': 'networking/v1', 'policy/v1': 'policy/v1',
};

/** Returns what the compiler finds in resources that are not as Kubernetes describes them: unknown fields, missing ones, and values of another type. Needs one run for all. */
function check(resources: readonly Manifest[]): string[] {
  const lines = resources.map((resource, index) => {
    const from = modules[resource.apiVersion];
    if (from === undefined) throw new Error(`no types for ${resource.apiVersion}`);
    return `import type { ${resource.kind} as R${index} } from 'kubernetes-types/${from}';\nexport const r${index}: R${index} = ${JSON.stringify(resource)};`;
  });
  writeFileSync(join(folder, 'resources.ts'), lines.join('\n'));
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--pretty', 'false', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
  const { stdout, error } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'resources.ts'], { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return stdout.split('\n').filter((line) => line.startsWith('resources.ts') || line.startsWith('error'));
}

const read = (name: string): Manifest[] => parseAllDocuments(readFileSync(join(manifests, name), 'utf8')).map((document) => document.toJS() as Manifest);
const resources = readdirSync(manifests).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').flatMap(read);

describe('the manifests for Kubernetes', () => {
  it('have the fields and types of the OpenAPI description of Kubernetes', () => {
    expect(resources.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Deployment', 'Ingress', 'Namespace', 'PodDisruptionBudget', 'Service']));
    expect(check(resources)).toEqual([]);
  });

  it('would be found with an unknown field, without a needed one, and with a value of another type', () => {
    const text = JSON.stringify(resources.find(({ kind }) => kind === 'Deployment'));
    const wrong = [['"readinessProbe"', '"readinesProbe"'], ['"selector"', '"selectors"'], ['"replicas":2', '"replicas":"2"'], ['"apps/v1"', '"v1"']] as const;
    const changed = wrong.map(([from, to]) => {
      expect(text).toContain(from);
      return JSON.parse(text.replace(from, to)) as Manifest;
    });
    const found = check(changed);
    changed.forEach((_, index) => expect(found.some((line) => line.startsWith(`resources.ts(${2 * index + 1},`) || line.startsWith(`resources.ts(${2 * index + 2},`)), String(wrong[index])).toBe(true));
  });
});
