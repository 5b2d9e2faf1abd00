/**
 * Names of errors whose message is an explanation for people. Names instead of classes, so that a help text loads no heavy
 * modules.
 */
const expectedNames = new Set([
  'Problem', 'CommandFault', 'ConfigurationError', 'DatabaseFault', 'FolderInUse', 'BackupFault', 'AnvilMissing', 'DevnetFileFault', 'RpcUnavailable', 'RpcRefused', 'DeploymentFault', 'KeyFault', 'Interrupted', 'SignerFault',
  'Error',
]);

/** Formats an error for people: the message of an expected error, the stack of an unexpected error. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const missing = missingPackage(error);
  if (missing !== null) return `The package ${missing} is not installed. Install vouch again with all optional packages (npm without --omit=optional), on this machine.`;
  const expected = expectedNames.has(error.name) || 'code' in error;
  return expected && process.env['VOUCH_LOG_LEVEL'] !== 'debug' ? error.message : (error.stack ?? error.message);
}

/**
 * Name of the npm package whose absence caused the error; null for other errors. Optional packages can be omitted at
 * installation.
 */
function missingPackage(error: Error): string | null {
  if (!('code' in error) || (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND')) return null;
  return /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)[/']/.exec(error.message)?.[1] ?? null;
}
