import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { loadConfiguration } from '@vouch/platform/config/loadConfiguration';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingSchemas } from '../../packages/vouch/wiring/configuration.ts';

interface Probe { httpGet: { path: string; port: string } }

interface Container {
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: [string, string] } } };
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
}

interface Pod {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number };
  containers: [Container];
  volumes: { name: string; emptyDir: { sizeLimit: string } }[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number; maxUnavailable: number; template: { metadata: { labels: object }; spec: Pod };
    selector: { matchLabels?: object } & Record<string, unknown>; ports: { name: string; port: number; targetPort: string }[];
  };
}

interface Ingress {
  apiVersion: string;
  kind: string;
  metadata: { annotations: Record<string, string> };
  spec: { tls: { hosts: string[] }[]; rules: { host: string; http: { paths: object[] } }[] };
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'deploy/kubernetes');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const kustomization = parse(read('deploy/kubernetes/kustomization.yaml')) as {
  namespace: string; resources: string[]; images: { name: string; newTag: string }[]; configMapGenerator: { name: string; envs: string[] }[]; secretGenerator: { name: string; envs: string[] }[];
};
const resources = kustomization.resources.flatMap((name) => parseAllDocuments(read(`deploy/kubernetes/${name}`)).map((document) => {
  expect([name, ...document.errors]).toEqual([name]);
  return document.toJS() as Resource;
}));
const ofKind = (kind: string): Resource[] => resources.filter((resource) => resource.kind === kind);
const deployments = ofKind('Deployment').map(({ metadata: { name }, spec }) => [name, { ...spec, pod: spec.template.spec, container: spec.template.spec.containers[0] }] as const);
const settings = parseEnv(read('deploy/kubernetes/vouch.env')) as Record<string, string>;
const secrets = parseEnv(read('deploy/kubernetes/secret.example.env')) as Record<string, string>;
const dockerfile = read('deploy/container/vouch.Dockerfile');
const load = (environment: Record<string, string>): object => loadConfiguration(settingSchemas, { environment });

/** Seconds in which a command ends after SIGTERM. */
const stopSeconds = (command: string): number => Number(/const stopMs = ([\d_]+);/.exec(read(`packages/vouch/commands/${command}.ts`))?.[1]?.replaceAll('_', '')) / 1_000;

describe('the manifests for Kubernetes', () => {
  it('have settings that Vouch accepts, and secrets only in the secret', () => {
    expect(load({ ...settings, ...secrets })).toMatchObject({ port: Number(settings['PORT']), data: settings['VOUCH_DATA'], s3_bucket: settings['VOUCH_S3_BUCKET'], database_url: secrets['DATABASE_URL'] });
    const marked = read('docs/guides/settings.md').split('\n').filter((line) => line.includes('Secret.')).map((line) => /^\| `(\w+)`/.exec(line)?.[1]);
    expect(Object.keys(settings).filter((name) => name === 'DATABASE_URL' || marked.includes(name))).toEqual([]);
    expect(read('.gitignore').split('\n')).toContain('/deploy/kubernetes/secret.env');
  });

  it.each(deployments)('%s gets these settings, and none from Kubernetes, which Vouch would refuse', (_name, { pod, container }) => {
    expect(container.envFrom).toEqual([{ configMapRef: { name: kustomization.configMapGenerator[0]?.name } }, { secretRef: { name: kustomization.secretGenerator[0]?.name } }]);
    expect(pod.enableServiceLinks).toBe(false);
    expect(() => load({ ...settings, VOUCH_PORT: 'tcp://10.0.0.1:80' })).toThrow('VOUCH_PORT');
  });

  it.each(deployments)('%s runs a command of the program in the image of the container file', (_name, { pod, container, replicas }) => {
    const [command = '', ...options] = container.args;
    const section = read('docs/guides/commands.md').split(/^## /m).find((text) => text.startsWith(`vouch ${command}\n`)) ?? '';
    for (const option of options) expect(section).toContain(`  ${option} `);
    expect(section).toContain(`vouch ${command}`);
    expect(kustomization.images).toEqual([expect.objectContaining({ name: container.image, newTag: (JSON.parse(read('package.json')) as { version: string }).version })]);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["\/opt\/vouch\/bin\/vouch"\]$/m);
    // USER node of the container file.
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(pod.automountServiceAccountToken).toBe(false);
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounts).toContain('/tmp');
    expect(mounts.some((path) => settings['VOUCH_DATA']?.startsWith(`${path}/`))).toBe(true);
    expect(pod.volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }) => name));
    expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
    expect(replicas).toBeGreaterThan(1);
  });

  it.each(deployments)('%s gives the program the time to end', (_name, { pod, container }) => {
    const pause = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + stopSeconds(container.args[0] ?? ''));
  });

  it('probe routes that exist, on the port that the program listens on', () => {
    const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: object };
    const served = deployments.filter(([, { container }]) => container.args[0] === 'serve');
    expect(served.length).toBe(1);
    for (const [, { container }] of served) {
      expect(container.ports).toEqual([{ name: 'http', containerPort: Number(settings['PORT']) }]);
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(probe?.httpGet.port).toBe('http');
        expect(Object.keys(paths)).toContain(probe?.httpGet.path);
      }
      expect(container.readinessProbe?.httpGet.path).toBe('/readyz');
      expect(container.livenessProbe?.httpGet.path).toBe('/healthz');
    }
    for (const [, { container }] of deployments) if (container.args[0] === 'worker') expect([container.ports, container.livenessProbe]).toEqual([undefined, undefined]);
  });

  it('select the pods of the deployments: the service those that serve, and a disruption budget all but one of each', () => {
    for (const [, spec] of deployments) expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    const serving = deployments.find(([, { container }]) => container.args[0] === 'serve')?.[1];
    expect(ofKind('Service').map(({ spec }) => [spec.selector, spec.ports[0]?.targetPort])).toEqual([[serving?.template.metadata.labels, 'http']]);
    expect(ofKind('PodDisruptionBudget').map(({ spec }) => [spec.selector.matchLabels, spec.maxUnavailable])).toEqual(deployments.map(([, spec]) => [spec.template.metadata.labels, 1]));
    expect(ofKind('Namespace').map(({ metadata: { name } }) => name)).toEqual([kustomization.namespace]);
  });

  it.runIf(spawnSync('kubectl', ['kustomize', '--help']).status === 0)('are built by kubectl, with the names of settings and secret in each pod', () => {
    const copy = mkdtempSync(join(tmpdir(), 'vouch-kubernetes-'));
    try {
      cpSync(folder, copy, { recursive: true });
      cpSync(join(copy, 'secret.example.env'), join(copy, 'secret.env'));
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', copy], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const built = parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
      const named = built.filter(({ kind }) => kind === 'ConfigMap' || kind === 'Secret').map(({ metadata: { name } }) => name);
      for (const { spec } of built.filter(({ kind }) => kind === 'Deployment')) {
        const [{ envFrom, image }] = spec.template.spec.containers;
        expect(envFrom.map(({ configMapRef, secretRef }) => (configMapRef ?? secretRef)?.name)).toEqual(named);
        expect(image).toBe(`registry.example/vouch:${kustomization.images[0]?.newTag}`);
      }
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('have an example of an ingress that leads to the service, with TLS for the public URL and without limits below those of Vouch', () => {
    const ingress = parse(read('deploy/kubernetes/ingress.yaml')) as Ingress;
    expect([ingress.apiVersion, ingress.kind]).toEqual(['networking.k8s.io/v1', 'Ingress']);
    const { host, protocol } = new URL(settings['VOUCH_PUBLIC_URL'] ?? '');
    expect(protocol).toBe('https:');
    expect(ingress.spec.rules.map((rule) => rule.host)).toEqual([host]);
    expect(ingress.spec.tls.flatMap(({ hosts }) => hosts)).toEqual([host]);
    const [service] = ofKind('Service');
    expect(ingress.spec.rules.flatMap(({ http }) => http.paths)).toEqual([
      { path: '/', pathType: 'Prefix', backend: { service: { name: service?.metadata.name, port: { name: service?.spec.ports[0]?.name } } } },
    ]);
    const annotation = (name: string): string | undefined => ingress.metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
    expect(annotation('proxy-body-size')).toBe('0');
    expect([annotation('proxy-request-buffering'), annotation('proxy-buffering')]).toEqual(['off', 'off']);
    // Ten minutes in which an upload may wait for its place, and the time to check its rows.
    expect(Number(annotation('proxy-read-timeout'))).toBeGreaterThan(600);
    expect(settings['VOUCH_TRUSTED_PROXIES']).toBeDefined();
    expect(read('deploy/kubernetes/kustomization.yaml')).toContain('  # - ingress.yaml\n');
  });

  it('are described in the guide, with each file', () => {
    const guide = read('docs/guides/deployment.md');
    const names = ['kustomization.yaml', ...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ envs }) => envs), 'secret.example.env', 'ingress.yaml'];
    for (const name of names) {
      expect(existsSync(join(folder, name)), name).toBe(true);
      if (name !== 'namespace.yaml' && name !== 'kustomization.yaml') expect(guide).toContain(`deploy/kubernetes/${name}`);
    }
  });
});
