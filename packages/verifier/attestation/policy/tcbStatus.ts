/** What Intel says of a level of updates, from best to worst (Intel PCS API v4, tcbStatus). */
export const tcbStatuses = [
  'UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded', 'Revoked',
] as const;

export type TcbStatus = (typeof tcbStatuses)[number];

export function isTcbStatus(value: unknown): value is TcbStatus {
  return tcbStatuses.some((status) => status === value);
}

/**
 * The status of platform and quoting enclave together, as Intel's library converges them: an outdated quoting enclave makes
 * a good platform outdated, and keeps the need of configuration.
 */
export function convergeStatus(platform: TcbStatus, quotingEnclave: TcbStatus): TcbStatus {
  if (platform === 'Revoked' || quotingEnclave === 'Revoked') return 'Revoked';
  const worse = tcbStatuses.indexOf(quotingEnclave) > tcbStatuses.indexOf(platform) ? quotingEnclave : platform;
  const configuration = [platform, quotingEnclave].some((status) => status.startsWith('Configuration') || status === 'OutOfDateConfigurationNeeded');
  return worse === 'OutOfDate' && configuration ? 'OutOfDateConfigurationNeeded' : worse;
}
