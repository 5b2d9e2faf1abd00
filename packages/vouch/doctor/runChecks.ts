import { withRunningChain } from '../devnet/withLocalChain.ts';
import { describeFailure } from '../terminal/describeFailure.ts';
import { readConfiguration, type Configuration } from '../wiring/configuration.ts';
import { openPlatform } from '../wiring/openPlatform.ts';
import { products } from '../wiring/products.ts';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import { machineChecks } from './machineChecks.ts';
import { platformChecks } from './platformChecks.ts';
import { checkTraces } from './traceCheck.ts';

export interface Report {
  check: string;
  findings: Finding[];
}

/** Runs every possible check. If the configuration or the database is faulty, omits the checks that need it. */
export async function runChecks(): Promise<Report[]> {
  const reports: Report[] = [];
  const configuration = await tryReport(reports, 'configuration', () => withRunningChain(readConfiguration), 'configuration-invalid');
  if (configuration !== null) reports.push({ check: 'configuration', findings: [{ status: 'ok', detail: 'all settings are valid' }] });
  await runAll(reports, machineChecks(configuration?.data ?? './data', configuration));
  if (configuration === null) return reports;
  const { otlp_endpoint: collector } = configuration;
  if (collector !== undefined) await runAll(reports, [{ name: 'traces', run: async () => [await checkTraces(collector)] }]);
  await checkPlatform(reports, configuration);
  return reports;
}

async function checkPlatform(reports: Report[], configuration: Configuration): Promise<void> {
  const platform = await tryReport(
    reports,
    'PostgreSQL',
    () => openPlatform({ configuration: { ...configuration, log_level: 'silent' }, publicUrl: '', tables: 'as-is' }),
    'postgres-unavailable',
    configuration.database_url === undefined
      ? 'Fix the problem that the message describes. postgres/postgres.log in the data folder may have details.' : undefined,
  );
  if (platform === null) return;
  try {
    await runAll(reports, platformChecks(platform));
    for (const product of products) {
      const parts = product.build(platform, configuration);
      await runAll(reports, parts.checks);
      await parts.close();
    }
  } finally {
    await platform.close();
  }
}

async function runAll(reports: Report[], checks: readonly DoctorCheck[]): Promise<void> {
  for (const { name, run } of checks) {
    const findings = await run().catch((error: unknown): Finding[] => [platformFindings.found('check-failed', describeFailure(error))]);
    reports.push({ check: name, findings });
  }
}

async function tryReport<Result>(
  reports: Report[],
  check: string,
  work: () => Promise<Result>,
  code: 'configuration-invalid' | 'postgres-unavailable',
  remedy?: string,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    reports.push({ check, findings: [platformFindings.found(code, describeFailure(error), remedy)] });
    return null;
  }
}
