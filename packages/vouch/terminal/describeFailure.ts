/** Errors whose message is a sentence for people, by their names, so that nothing heavy is loaded for a help text. */
const expectedNames = new Set([
  'Problem', 'CommandFault', 'ConfigurationError', 'DatabaseFault', 'FolderInUse', 'BackupFault', 'AnvilMissing', 'DevnetFileFault', 'RpcUnavailable', 'RpcRefused', 'DeploymentFault', 'KeyFault', 'Interrupted', 'SignerFault',
  'Error',
]);

/** What a person reads where a command fails: sentences for what we expect, the stack for what we do not. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const missing = missingPackage(error);
  if (missing !== null) return `The package ${missing} is not installed. Install vouch again with all optional packages (npm without --omit=optional), on this machine.`;
  const expected = expectedNames.has(error.name) || 'code' in error;
  return expected && process.env['VOUCH_LOG_LEVEL'] !== 'debug' ? error.message : (error.stack ?? error.message);
}

/** The package from npm that was left out at the installation, where a failure says so. */
function missingPackage(error: Error): string | null {
  if (!('code' in error) || (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND')) return null;
  return /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)[/']/.exec(error.message)?.[1] ?? null;
}
