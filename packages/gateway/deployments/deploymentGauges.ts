import type { Logger } from '@vouch/platform/log/logger';
import { Gauge, type Registry } from 'prom-client';
import { labelsOf } from './namedDeployment.ts';

export type SetGauge = (labels: Readonly<Record<string, string>>, value: number) => void;

/** A gauge of one deployment. */
export interface DeploymentGauge {
  name: string;
  help: string;
  labels: readonly string[];
  /** Called at each scrape. If the promise rejects, the scrape omits this deployment's values. */
  read(set: SetGauge): Promise<void> | void;
}

interface Source {
  labels: { deployment?: string };
  log: Logger;
  read: DeploymentGauge['read'];
}

const made = new WeakMap<Registry, Map<string, Source[]>>();

/** Registers a gauge of a deployment. Deployments in one registry share the metric and differ in the label `deployment`. */
export function addDeploymentGauge(metrics: Registry, deployment: string, log: Logger, { name, help, labels, read }: DeploymentGauge): void {
  const names = made.get(metrics) ?? new Map<string, Source[]>();
  made.set(metrics, names);
  const sources = names.get(name) ?? [];
  sources.push({ labels: labelsOf(deployment), log, read });
  if (names.has(name)) return;
  names.set(name, sources);
  const gauge: Gauge = new Gauge({
    name, help, labelNames: [...labels, 'deployment'], registers: [metrics],
    async collect() {
      gauge.reset();
      await Promise.all(sources.map((source) => readSource(gauge, name, source)));
    },
  });
}

async function readSource(gauge: Gauge, name: string, { labels: own, log, read }: Source): Promise<void> {
  try {
    await read((labels, value) => gauge.set({ ...labels, ...own }, value));
  } catch (error) {
    // Without the database or the chain, the scrape omits this metric but still returns the others.
    log.warn({ ...own, reason: (error as Error).message }, `${name} could not be read`);
  }
}
