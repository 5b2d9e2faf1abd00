/** One flag of the command line. */
export interface Flag {
  /** Name with one dash; two dashes are accepted too. */
  name: FlagName;
  /** Placeholder of the value in the help; null for a flag without a value. */
  value: string | null;
  sentence: string;
}

export type FlagName =
  | '-private-key' | '-keystore-path' | '-keystore-password' | '-password-file' | '-reward-address' | '-commission-rate'
  | '-generate-keystore' | '-exit-on-stop' | '-conf' | '-bundle' | '-licenses' | '-all-licenses' | '-daily-reward' | '-days' | '-url' | '-fmspc' | '-json' | '-h';

/** All flags in the order of the help. */
export const flags: readonly Flag[] = [
  { name: '-conf', value: 'path', sentence: 'The configuration file. Default: verifier.yaml in the working folder.' },
  { name: '-keystore-path', value: 'path', sentence: 'The keystore file that holds the node\'s key, encrypted.' },
  { name: '-password-file', value: 'path', sentence: 'A file whose first line is the password of the keystore. Make it readable for you alone (chmod 600).' },
  { name: '-keystore-password', value: 'password', sentence: 'The password itself. Other users may see it for a moment, and your shell remembers it: prefer -password-file, or wait to be asked.' },
  { name: '-private-key', value: 'key', sentence: 'The key in clear, 64 hex digits. Other users may see it for a moment, and your shell remembers it: prefer a keystore. Never use the key of your main account.' },
  { name: '-reward-address', value: 'address', sentence: 'Ethereum address that may claim the rewards. Default: the value in the file, else the on-chain value stays.' },
  { name: '-commission-rate', value: 'percent', sentence: 'The node\'s share of its delegators\' rewards, 0 to 100. Default: the value in the file, else the on-chain value stays.' },
  { name: '-generate-keystore', value: null, sentence: 'Makes a new key, asks for a password, writes the keystore at -keystore-path, prints the address and ends.' },
  { name: '-exit-on-stop', value: null, sentence: 'Leaves the active set when the node stops. The node loses the reward of the day: omit this flag for restarts.' },
  { name: '-bundle', value: 'path', sentence: 'Writes the attestation and everything that its verdict depends on into a new file. verifier explain <file> judges it again anywhere, without a connection.' },
  { name: '-licenses', value: 'number', sentence: 'Licenses that count for the node. Default: the number that the contract gives.' },
  { name: '-all-licenses', value: 'number', sentence: 'Licenses of all nodes that a day is credited to, this node\'s included. Default: those of the last completed day, plus the licenses that -licenses adds.' },
  { name: '-daily-reward', value: 'tokens', sentence: 'Tokens that all nodes share per day. Default: the amount that the contract gives.' },
  { name: '-days', value: 'number', sentence: 'Number of credited days to estimate. Default: 30.' },
  { name: '-url', value: 'url', sentence: 'Service to fetch collateral from. Default: attestation.collateral_url, else Intel\'s service.' },
  { name: '-fmspc', value: 'list', sentence: 'Additional kinds of platforms to fetch collateral for: FMSPCs of 12 hex digits, separated by commas. The command already knows those of quotes that nodes here have seen.' },
  { name: '-json', value: null, sentence: 'Prints JSON.' },
  { name: '-h', value: null, sentence: 'Prints this help, or the help of a command.' },
];
