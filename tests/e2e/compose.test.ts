import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfiguration } from '@vouch/platform/config/loadConfiguration';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { settingSchemas } from '../../packages/vouch/wiring/configuration.ts';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: string[] | Record<string, object>;
  read_only?: boolean;
  cap_drop?: string[];
  tmpfs?: string[];
  stop_grace_period?: string;
  deploy?: { replicas?: number };
}

interface Project {
  services: Record<string, Service>;
  volumes: Record<string, null>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'deploy/compose');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const commands = read('docs/guides/commands.md');

function load(name: string): Project {
  const document = parseDocument(readFileSync(join(folder, name), 'utf8'), { merge: true });
  expect(document.errors).toEqual([]);
  return document.toJS() as Project;
}

/** Returns a value as Compose substitutes variables: the default, or a text for a variable that has to be in `.env`. */
function substitute(value: string): string {
  return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, text: string) => (kind === '-' ? text : `${name.toLowerCase()}-of-at-least-32-characters-0123456789`));
}

describe.each(['compose.yaml', 'scaled.yaml'])('%s', (name) => {
  const { services, volumes } = load(name);
  const own = Object.entries(services).filter(([, { image }]) => image === 'vouch');

  it('builds the image of the container file, and runs commands of the program without rights', () => {
    expect(own.length).toBeGreaterThan(0);
    for (const [service, { build, command = ['serve'], read_only: readOnly, cap_drop: dropped, tmpfs, stop_grace_period: grace }] of own) {
      expect(existsSync(join(folder, build?.context ?? '', build?.dockerfile ?? '')), service).toBe(true);
      const section = commands.split(/^## /m).find((text) => text.startsWith(`vouch ${command[0]}\n`)) ?? '';
      for (const word of command.slice(1)) expect(section, service).toContain(`  ${word} `);
      expect([section === '', readOnly, dropped, grace], service).toEqual([false, true, ['ALL'], '60s']);
      expect(tmpfs?.[0], service).toMatch(/^\/tmp:/);
    }
  });

  it('has settings that Vouch accepts, and no secrets', () => {
    for (const [, { environment = {} }] of own) {
      const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, substitute(value)]));
      expect(() => loadConfiguration(settingSchemas, { environment: given })).not.toThrow();
    }
    for (const { environment = {} } of Object.values(services)) {
      for (const [key, value] of Object.entries(environment)) if (/PASSWORD|SECRET|ADMIN_KEY|DATABASE_URL/.test(key)) expect(value, key).toMatch(/\$\{\w+:\?/);
    }
  });

  it('names services, volumes and files that exist, tags of the images of others, and opens ports on loopback only', () => {
    for (const [service, { image, depends_on: needs = [], volumes: mounted = [], ports = [] }] of Object.entries(services)) {
      for (const needed of Array.isArray(needs) ? needs : Object.keys(needs)) expect(Object.keys(services), service).toContain(needed);
      for (const [source = ''] of mounted.map((mount) => mount.split(':'))) expect(source.startsWith('./') ? existsSync(join(folder, source)) : source in volumes, `${service} ${source}`).toBe(true);
      for (const port of ports) expect(port, service).toMatch(/^127\.0\.0\.1:/);
      if (image !== 'vouch') expect(image, service).toMatch(/:[\w.-]*\d/);
    }
  });
});

it('scaled.yaml runs two servers without worker and two workers, and nginx leads to the servers without limits below those of Vouch', () => {
  const { serve, worker, store, proxy } = load('scaled.yaml').services;
  expect([serve?.command, serve?.deploy?.replicas, worker?.command, worker?.deploy?.replicas]).toEqual([['serve', '--no-worker'], 2, ['worker'], 2]);
  expect(serve?.environment?.['VOUCH_S3_SECRET_ACCESS_KEY']).toBe(store?.environment?.['MINIO_ROOT_PASSWORD']);
  expect(serve?.environment?.['VOUCH_S3_ACCESS_KEY_ID']).toBe(store?.environment?.['MINIO_ROOT_USER']);
  expect(JSON.stringify(store)).toContain(`mkdir -p /data/${serve?.environment?.['VOUCH_S3_BUCKET']}`);
  const nginx = readFileSync(join(folder, 'nginx.conf'), 'utf8');
  for (const line of ['set $servers serve;', 'proxy_pass http://$servers:8080;', 'client_max_body_size 0;', 'proxy_request_buffering off;', 'proxy_buffering off;', 'proxy_set_header Host $http_host;']) expect(nginx).toContain(line);
  expect(Number(/proxy_read_timeout (\d+)s/.exec(nginx)?.[1])).toBeGreaterThan(600);
  expect(nginx).toMatch(new RegExp(`listen ${proxy?.ports?.[0]?.split(':').at(-1)};`));
  expect(read('deploy/container/vouch.Dockerfile')).toMatch(/PORT=8080$/m);
});

it('the guide has the commands for both', () => {
  const guide = read('docs/guides/deployment.md');
  for (const name of ['compose.yaml', 'scaled.yaml', 'nginx.conf']) expect(guide).toContain(`deploy/compose/${name}`);
});
