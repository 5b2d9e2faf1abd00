import type { Logger } from '@vouch/platform/log/logger';
import { Gauge, type Registry } from 'prom-client';
import { labelsOf } from './namedDeployment.ts';

export type SetGauge = (labels: Readonly<Record<string, string>>, value: number) => void;

/** A number of one deployment. */
export interface DeploymentGauge {
  name: string;
  help: string;
  labels: readonly string[];
  /** Asked at each scrape. Where it rejects, the deployment is left out of the answer. */
  read(set: SetGauge): Promise<void> | void;
}

interface Source {
  labels: { deployment?: string };
  log: Logger;
  read: DeploymentGauge['read'];
}

const made = new WeakMap<Registry, Map<string, Source[]>>();

/** Adds a number of a deployment to the metrics. Deployments of one registry share the name and differ in the label `deployment`. */
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
    // Without database or chain the other metrics must still be answered: these are then absent.
    log.warn({ ...own, reason: (error as Error).message }, `${name} could not be read`);
  }
}
