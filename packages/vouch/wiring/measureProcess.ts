import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Adds prom-client's metrics of the process and of Node, and a metric that names the build. */
export function measureProcess(metrics: Registry, version: string): void {
  collectDefaultMetrics({ register: metrics });
  new Gauge({ name: 'vouch_build_info', help: 'Always 1; the labels describe the build.', labelNames: ['version', 'node'], registers: [metrics] })
    .set({ version, node: process.versions.node }, 1);
}
