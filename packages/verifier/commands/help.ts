import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { flags, type Flag } from './flags.ts';

/** Width of the help text in characters. The width of the terminal is not queried. */
const width = 100;

/** Returns the help of the whole program. */
export function programHelp(): string {
  const named = commands.filter(({ name }) => name !== '');
  return [
    'verifier: a node that judges attestations and reports its votes.',
    '',
    'Before the node runs, its key must hold a license, or a license must be delegated to the key. Use a fresh key for each node:',
    '',
    '  verifier -generate-keystore -keystore-path node.json     creates a key and prints its Ethereum address',
    '  verifier config check -conf verifier.yaml                checks the configuration and prints its values',
    '  verifier -conf verifier.yaml -keystore-path node.json    runs the node',
    '',
    'Flags (one dash or two; a flag overrides the same value in the file):',
    '',
    ...flags.flatMap(flagLines),
    '',
    'Commands (verifier <command> -h lists the flags of a command):',
    '',
    ...named.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`),
    '',
    'Exit codes: 0 success; 2 the command line or the configuration is invalid; 3 the key cannot be used (keystore, password,',
    'file); 4 the command found a problem (doctor, collateral check, explain, status, exit); 5 another node uses the same folder;',
    '130 after Ctrl-C at a prompt; 1 any other failure.',
    '',
  ].join('\n');
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  if (command.name === '') return programHelp();
  const own = flags.filter(({ name }) => command.flags.includes(name));
  const required = (command.required ?? []).map((name) => ` ${usage(flags.find((flag) => flag.name === name))}`).join('');
  const argument = command.argument === undefined ? '' : ` <${command.argument}>`;
  return [`verifier ${command.name}${argument}${required}: ${command.summary}`, '', ...own.flatMap(flagLines), ''].join('\n');
}

function usage(flag: Flag | undefined): string {
  return flag === undefined ? '' : flag.value === null ? flag.name : `${flag.name} <${flag.value}>`;
}

/** Formats a flag and its description as two columns, with the description wrapped. */
function flagLines(flag: Flag): string[] {
  const indent = 32;
  const lines = [''];
  for (const word of flag.sentence.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width - indent) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line, index) => `${(index === 0 ? `  ${usage(flag)}` : '').padEnd(indent)}${line}`);
}
