/** The id that anvil, Hardhat and `vouch devnet` give to a chain of one machine. */
export const localChainId = 31_337;
