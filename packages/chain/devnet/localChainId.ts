/** The chain id that anvil, Hardhat and `vouch devnet` give to a chain on one machine. */
export const localChainId = 31_337;
