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
  { name: '-password-file', value: 'path', sentence: 'A file whose first line is the password of the keystore. Only your user should be able to read the file (chmod 600).' },
  { name: '-keystore-password', value: 'password', sentence: 'The password of the keystore. Other users may see it in the process list, and your shell stores it in its history: prefer -password-file or the prompt.' },
  { name: '-private-key', value: 'key', sentence: 'The private key, 64 hex digits. Other users may see it in the process list, and your shell stores it in its history: prefer a keystore. Never use the key of your main account.' },
  { name: '-reward-address', value: 'address', sentence: 'Ethereum address that may claim the rewards. Default: the value in the file, else the on-chain value stays.' },
  { name: '-commission-rate', value: 'percent', sentence: 'The node\'s share of its delegators\' rewards, 0 to 100. Default: the value in the file, else the on-chain value stays.' },
  { name: '-generate-keystore', value: null, sentence: 'Creates a new key, asks for a password, writes the keystore to -keystore-path, prints the Ethereum address and exits.' },
  { name: '-exit-on-stop', value: null, sentence: 'Leaves the active set when the node stops. The node loses the reward of the day: do not use this flag for restarts.' },
  { name: '-bundle', value: 'path', sentence: 'Writes the attestation and all inputs of its verdict into a new file. verifier explain <file> repeats the verdict on any machine, without a network connection.' },
  { name: '-licenses', value: 'number', sentence: 'Number of licenses that count for the node. Default: the value of the contract.' },
  { name: '-all-licenses', value: 'number', sentence: 'Number of licenses of all credited nodes of a day, including this node. Default: the number of the last completed day, plus the licenses that -licenses adds.' },
  { name: '-daily-reward', value: 'tokens', sentence: 'Tokens that all nodes share per day. Default: the value of the contract.' },
  { name: '-days', value: 'number', sentence: 'Number of credited days to estimate. Default: 30.' },
  { name: '-url', value: 'url', sentence: 'Service to fetch collateral from. Default: attestation.collateral_url, else Intel\'s service.' },
  { name: '-fmspc', value: 'list', sentence: 'Additional platforms to fetch collateral for: FMSPCs of 12 hex digits, separated by commas. The platforms of quotes that nodes in this folder have received are always included.' },
  { name: '-json', value: null, sentence: 'Prints JSON.' },
  { name: '-h', value: null, sentence: 'Prints this help, or the help of a command.' },
];
