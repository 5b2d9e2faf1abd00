/** Chain id of local chains: the default of anvil, Hardhat and `vouch devnet`. */
export const localChainId = 31_337;
