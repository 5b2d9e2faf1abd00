/** Intel's status of a TCB level, in order from best to worst (Intel PCS API v4, tcbStatus). */
export const tcbStatuses = [
  'UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded', 'Revoked',
] as const;

export type TcbStatus = (typeof tcbStatuses)[number];

export function isTcbStatus(value: unknown): value is TcbStatus {
  return tcbStatuses.some((status) => status === value);
}

/**
 * Combines the statuses of the platform and the quoting enclave with the rules of Intel's verification library: the worse status
 * wins, and OutOfDate becomes OutOfDateConfigurationNeeded if either status requires a configuration change.
 */
export function convergeStatus(platform: TcbStatus, quotingEnclave: TcbStatus): TcbStatus {
  if (platform === 'Revoked' || quotingEnclave === 'Revoked') return 'Revoked';
  const worse = tcbStatuses.indexOf(quotingEnclave) > tcbStatuses.indexOf(platform) ? quotingEnclave : platform;
  const configuration = [platform, quotingEnclave].some((status) => status.startsWith('Configuration') || status === 'OutOfDateConfigurationNeeded');
  return worse === 'OutOfDate' && configuration ? 'OutOfDateConfigurationNeeded' : worse;
}
