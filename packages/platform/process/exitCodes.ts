/** Exit codes of vouch and verifier. Service managers and scripts depend on them. A signal gives 128 plus its number, as in a shell. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  input: 3,
  notInOrder: 4,
  busy: 5,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each code, for the documentation. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'The command succeeded; or a server, worker or node stopped on request.',
  failed: 'The command failed because of a database, disk, network, chain or decoder, or because of an unexpected error. A retry may succeed.',
  usage: 'The command line or the configuration is wrong; a retry without a change fails too.',
  input: 'An input of the command line is missing or cannot be used: a media file, a backup, a key, an organization, a keystore or a password.',
  notInOrder: 'The command worked and found a problem: a fault of `doctor`, a failed check of `conformance` or `contracts deploy`, a difference in `contracts verify`, a node that does not earn (`status`), incomplete collateral, a vote that differs, or an exit that is not on the chain.',
  busy: 'Another process uses the data folder, the blob store, the port, the folder of the node or the record of the deployment.',
  hungUp: 'SIGHUP stopped the command before its end.',
  interrupted: 'Ctrl-C (SIGINT) stopped the command before its end.',
  terminated: 'SIGTERM stopped the command before its end.',
};

/** Returns the name of a code, for programs that read it as text. */
export function exitCodeName(code: ExitCode): keyof typeof exitCodes {
  const [name] = Object.entries(exitCodes).find(([, value]) => value === code) ?? ['failed'];
  return name as keyof typeof exitCodes;
}
