import type { DeploymentFault, DeploymentFaultKind } from '@vouch/chain/contracts/deployment/deploymentFault';
import type { Problem } from '@vouch/platform/errors/problem';
import { exitCodeName, exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import type { CommandFault } from './commandFault.ts';
import { describeFailure } from './describeFailure.ts';

/** How a command ended that failed. */
export interface Failure {
  exitCode: ExitCode;
  /** What a person reads. */
  sentence: string;
  /** The same for programs: a stable code and the sentence, of a problem its whole record. */
  record: { code: string; detail: string };
}

/** Failures by the names of their errors, so that nothing heavy is loaded for a help text. */
const exitCodeOfName: Readonly<Record<string, ExitCode>> = {
  CommanderError: exitCodes.usage,
  InvalidArgumentError: exitCodes.usage,
  ConfigurationError: exitCodes.usage,
  BackupFault: exitCodes.input,
  DevnetFileFault: exitCodes.input,
  KeyFault: exitCodes.input,
  Interrupted: exitCodes.interrupted,
  FolderInUse: exitCodes.busy,
};

const exitCodeOfKind: Readonly<Record<DeploymentFaultKind, ExitCode>> = { input: exitCodes.input, state: exitCodes.notInOrder, chain: exitCodes.failed };

/** What a failure of a command means to people, programs and shells. */
export function readFailure(error: unknown): Failure {
  const exitCode = exitCodeOf(error);
  const sentence = describeFailure(error);
  if (error instanceof Error && error.name === 'Problem') return { exitCode, sentence, record: (error as Problem).toRecord() };
  // The first line alone: a stack is for people who look for a mistake of ours.
  return { exitCode, sentence, record: { code: exitCodeName(exitCode), detail: error instanceof Error ? error.message : String(error) } };
}

function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return exitCodes.failed;
  if (error.name === 'CommandFault') return (error as CommandFault).exitCode;
  if (error.name === 'DeploymentFault') return exitCodeOfKind[(error as DeploymentFault).kind];
  if (error.name !== 'Problem') return exitCodeOfName[error.name] ?? exitCodes.failed;
  const { code, status } = error as Problem;
  // A full disk, or no decoder, is the fault of neither command line nor input.
  if (status >= 500) return exitCodes.failed;
  return /-(?:parameter|options)$/.test(code) ? exitCodes.usage : exitCodes.input;
}
