// Generated from the Solidity sources by compiler/writeArtifacts.ts; change the sources instead.

/**
 * The deterministic source of random words of local chains.
 */
export const localRandomnessAbi = [
  {"inputs":[{"internalType":"bytes32","name":"seed","type":"bytes32"}],"stateMutability":"nonpayable","type":"constructor"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"NoSuchRequest","type":"error"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"uint256","name":"requestId","type":"uint256"},{"indexed":true,"internalType":"address","name":"consumer","type":"address"}],"name":"RandomnessRequested","type":"event"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"fulfill","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"lastRequestId","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"requestRandomness","outputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"stateMutability":"nonpayable","type":"function"},
] as const;
