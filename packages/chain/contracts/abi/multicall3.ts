// Generated from the Solidity sources by compiler/writeArtifacts.ts; change the sources instead.

/**
 * Several calls in one transaction, each of which may be allowed to fail.
 */
export const multicall3Abi = [
  {"inputs":[{"components":[{"internalType":"address","name":"target","type":"address"},{"internalType":"bool","name":"allowFailure","type":"bool"},{"internalType":"bytes","name":"callData","type":"bytes"}],"internalType":"struct IMulticall3.Call3[]","name":"calls","type":"tuple[]"}],"name":"aggregate3","outputs":[{"components":[{"internalType":"bool","name":"success","type":"bool"},{"internalType":"bytes","name":"returnData","type":"bytes"}],"internalType":"struct IMulticall3.Result[]","name":"returnData","type":"tuple[]"}],"stateMutability":"payable","type":"function"},
] as const;
