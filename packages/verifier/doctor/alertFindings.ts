import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { ExchangeFault } from '../reporting/exchange.ts';
import { exchangeJson } from '../reporting/exchangeJson.ts';
import { found, ok, type NodeFinding } from './findings.ts';

const timeoutMs = 5_000;

/**
 * Whether somebody answers at alert.url. It is asked by HEAD, since a POST would call somebody; so any answer will do but one
 * that tells of nobody behind it: what takes POSTs alone may refuse the question itself.
 */
export async function examineAlerts(url: string | null, { timers }: Pick<SystemInterfaces, 'timers'>): Promise<NodeFinding[]> {
  if (url === null) return [ok('alerts', 'none are posted: they stand in the log alone')];
  const { host } = new URL(url);
  const remedy = 'Correct alert.url, or mend what listens there: alarms are only in the log meanwhile.';
  try {
    const { status } = await exchangeJson({ url, method: 'HEAD', headers: { 'user-agent': 'vouch-verifier' }, timeoutMs }, timers);
    if (status >= 500) return [found('alerts', 'alerts-unreachable', `${host} answered with HTTP ${status}`, remedy)];
    return [ok('alerts', `${host} answers; whether it takes alarms shows with the first`)];
  } catch (error) {
    if (!(error instanceof ExchangeFault)) throw error;
    return [found('alerts', 'alerts-unreachable', error.message, remedy)];
  }
}
