/** Errors whose message is a sentence for people, by their names, so that nothing heavy is loaded for a help text. */
const expectedNames = new Set([
  'Problem', 'CommandFault', 'ConfigurationError', 'DatabaseFault', 'FolderInUse', 'BackupFault', 'AnvilMissing', 'DevnetFileFault', 'RpcUnavailable', 'RpcRefused', 'DeploymentFault', 'KeyFault', 'Interrupted', 'SignerFault',
  'Error',
]);

/** What a person reads where a command fails: sentences for what we expect, the stack for what we do not. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = expectedNames.has(error.name) || 'code' in error;
  return expected && process.env['VOUCH_LOG_LEVEL'] !== 'debug' ? error.message : (error.stack ?? error.message);
}
