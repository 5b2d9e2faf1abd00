/** How the programs end, vouch and verifier alike; service managers and scripts act on them. A signal gives 128 + its number, as in a shell. */
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

/** What each code says, for the documentation. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'The command did its work; also a server, worker or node that was told to stop.',
  failed: 'The work failed: a database, disk, network, chain or decoder does not do its part, or something unforeseen happened. Another try may succeed.',
  usage: 'The command line or the configuration must be changed; another try ends the same way.',
  input: 'What the command line names is missing or cannot be used: a media file, a backup, a key or an organization, a keystore, a password.',
  notInOrder: 'The command worked and found something wrong: a fault of `doctor`, a check of `conformance` or `contracts deploy` that fails, a difference that `contracts verify` finds, a node that does not earn (`status`), incomplete collateral, a vote that differs, an exit that is not on the chain.',
  busy: 'Another process uses the data folder, the blob store, the port, or the folder of the node, the record of a deployment.',
  hungUp: 'Stopped by SIGHUP before the work was done.',
  interrupted: 'Stopped by Ctrl-C (SIGINT) before the work was done.',
  terminated: 'Stopped by SIGTERM before the work was done.',
};

/** The name of a code, for programs that read it as text. */
export function exitCodeName(code: ExitCode): keyof typeof exitCodes {
  const [name] = Object.entries(exitCodes).find(([, value]) => value === code) ?? ['failed'];
  return name as keyof typeof exitCodes;
}
