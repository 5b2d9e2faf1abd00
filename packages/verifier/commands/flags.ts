/** One flag of the command line. */
export interface Flag {
  /** With one dash; two are taken as well. */
  name: FlagName;
  /** Name of its value in the help; null where it has none. */
  value: string | null;
  sentence: string;
}

export type FlagName =
  | '-private-key' | '-keystore-path' | '-keystore-password' | '-password-file' | '-reward-address' | '-commission-rate'
  | '-generate-keystore' | '-exit-on-stop' | '-conf' | '-bundle' | '-licenses' | '-all-licenses' | '-daily-reward' | '-days' | '-url' | '-fmspc' | '-json' | '-h';

/** In the order of the help. */
export const flags: readonly Flag[] = [
  { name: '-conf', value: 'path', sentence: 'The configuration file. Without it: verifier.yaml in the working folder.' },
  { name: '-keystore-path', value: 'path', sentence: 'The keystore file that holds the node\'s key, encrypted.' },
  { name: '-password-file', value: 'path', sentence: 'A file whose first line is the password of the keystore. Make it readable for you alone (chmod 600).' },
  { name: '-keystore-password', value: 'password', sentence: 'The password itself. Other users may see it for a moment, and your shell remembers it: prefer -password-file, or wait to be asked.' },
  { name: '-private-key', value: 'key', sentence: 'The key in clear, 64 hex digits. Seen and remembered like a password: prefer a keystore. Never use the key of your main account.' },
  { name: '-reward-address', value: 'address', sentence: 'Who may claim the rewards. Without it: as the file says, or as it is on the chain.' },
  { name: '-commission-rate', value: 'percent', sentence: 'What is kept of the rewards of delegators, 0 to 100: 0 keeps nothing, 100 everything. Without it: as the file says, or as it is on the chain.' },
  { name: '-generate-keystore', value: null, sentence: 'Makes a new key, asks for a password, writes the keystore at -keystore-path, prints the address and ends.' },
  { name: '-exit-on-stop', value: null, sentence: 'Leaves the active set when the node stops. It costs the reward of the day: leave it out for restarts.' },
  { name: '-bundle', value: 'path', sentence: 'Writes the attestation with all that its verdict rests on into a new file, which verifier explain <file> judges again anywhere, without a connection.' },
  { name: '-licenses', value: 'number', sentence: 'Licenses that count for the node. Without it: as the contract says.' },
  { name: '-all-licenses', value: 'number', sentence: 'Licenses of all nodes that a day is credited to, these with them. Without it: those of the last day that is over, and what is added to them.' },
  { name: '-daily-reward', value: 'tokens', sentence: 'What all nodes share of a day. Without it: as the contract says.' },
  { name: '-days', value: 'number', sentence: 'How many credited days are reckoned with. Without it: 30.' },
  { name: '-url', value: 'address', sentence: 'Where collateral is fetched. Without it: attestation.collateral_url, or Intel\'s service.' },
  { name: '-fmspc', value: 'list', sentence: 'Further kinds of platforms to fetch collateral for: FMSPCs of 12 hex digits, separated by commas. Those of the quotes that nodes have seen are known.' },
  { name: '-json', value: null, sentence: 'Prints for programs instead of for people.' },
  { name: '-h', value: null, sentence: 'Prints this help, or that of a command.' },
];
