import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { ExchangeFault } from '../reporting/exchange.ts';
import { exchangeJson } from '../reporting/exchangeJson.ts';
import { found, ok, type NodeFinding } from './findings.ts';

const timeoutMs = 5_000;

/**
 * Checks whether a server answers at alert.url. The check uses HEAD, because a POST would trigger an alarm. Statuses below 500 count as
 * success: an endpoint that only supports POST may reject HEAD.
 */
export async function examineAlerts(url: string | null, { timers }: Pick<SystemInterfaces, 'timers'>): Promise<NodeFinding[]> {
  if (url === null) return [ok('alerts', 'alert.url is not set: alarms appear only in the log')];
  const { host } = new URL(url);
  const remedy = 'Correct alert.url, or fix the service at this URL. Until then, alarms appear only in the log.';
  try {
    const { status } = await exchangeJson({ url, method: 'HEAD', headers: { 'user-agent': 'vouch-verifier' }, timeoutMs }, timers);
    if (status >= 500) return [found('alerts', 'alerts-unreachable', `${host} answered with HTTP ${status}`, remedy)];
    return [ok('alerts', `${host} answers; only the first alarm shows whether the service accepts alarms`)];
  } catch (error) {
    if (!(error instanceof ExchangeFault)) throw error;
    return [found('alerts', 'alerts-unreachable', error.message, remedy)];
  }
}
