import type { DeploymentFault, DeploymentFaultKind } from '@vouch/chain/contracts/deployment/deploymentFault';
import type { VouchError } from '@vouch/client/problem';
import type { Problem } from '@vouch/platform/errors/problem';
import { exitCodeName, exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import type { CommandFault } from './commandFault.ts';
import { describeFailure } from './describeFailure.ts';

/** Describes the failure of a command. */
export interface Failure {
  exitCode: ExitCode;
  /** The explanation for people. */
  sentence: string;
  /** The failure for programs: a stable code and the explanation, or the whole record of a Problem. */
  record: { code: string; detail: string };
}

/** Exit codes by the names of errors. Names instead of classes, so that a help text loads no heavy modules. */
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

/** Translates an error into an exit code, an explanation and a record. */
export function classifyFailure(error: unknown): Failure {
  const exitCode = exitCodeOf(error);
  const sentence = describeFailure(error);
  if (error instanceof Error && error.name === 'Problem') return { exitCode, sentence, record: (error as Problem).toRecord() };
  // The client's error, of a server that refused the request.
  if (error instanceof Error && error.name === 'VouchError') return { exitCode, sentence, record: { code: (error as VouchError).code, detail: error.message } };
  // The message alone: only developers of Vouch need the stack.
  return { exitCode, sentence, record: { code: exitCodeName(exitCode), detail: error instanceof Error ? error.message : String(error) } };
}

function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return exitCodes.failed;
  if (error.name === 'CommandFault') return (error as CommandFault).exitCode;
  if (error.name === 'DeploymentFault') return exitCodeOfKind[(error as DeploymentFault).kind];
  if (error.name === 'VouchError') return exitCodeOfAnswer(error as VouchError);
  if (error.name !== 'Problem') return exitCodeOfName[error.name] ?? exitCodes.failed;
  return exitCodeOfAnswer(error as Problem);
}

function exitCodeOfAnswer({ code, status }: Pick<Problem, 'code' | 'status'>): ExitCode {
  // Neither the command line nor the input causes a full disk, a missing decoder or a busy server.
  if (status >= 500 || status === 429) return exitCodes.failed;
  return /-(?:parameter|options)$/.test(code) ? exitCodes.usage : exitCodes.input;
}
