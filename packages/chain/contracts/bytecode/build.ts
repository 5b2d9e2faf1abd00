// Generated from the Solidity sources by compiler/writeArtifacts.ts; change the sources instead.

/**
 * Compiler of the generated code, its settings, the SHA-256 of each compiled unit (its sources and settings as standard JSON input), and
 * the SHA-256 of the generated files.
 */
export const build = {
  compiler: '0.8.37+commit.f401782d',
  settings: {"optimizer":{"enabled":true,"runs":200},"viaIR":true,"evmVersion":"cancun","metadata":{"bytecodeHash":"none","appendCBOR":false}},
  sourceDigests: {
    service: 'add7679533a1f4034a12d15ac9d52c5c0c1b14734f3bc01a4994f8f7af90bb03',
    production: '8296facf3d45ff23aa1342f48018240344e097d52d38a7fbb37035fe73a021e1',
  },
  filesDigest: '8f3253bafe3cd5340b595511d3564ecf1299b67cfece2aa539c55fce4013e4c5',
} as const;

/**
 * Where in its creation code the code is that a chain keeps of a contract, in bytes, and the places of immutable values in there: [start,
 * length], from the beginning of the kept code.
 */
export const runtimes = {
  verifierService: { contract: 'solidity/VerifierService.sol:VerifierService', unit: 'service', offset: 1036, length: 23392, immutables: [[1598,32],[2289,32],[3100,32],[6450,32],[6491,32],[7834,32],[7902,32],[8487,32],[10509,32],[11752,32],[13260,32],[13298,32],[13377,32],[13415,32],[14475,32],[15643,32],[15843,32],[16823,32],[17505,32],[17958,32],[18054,32],[19543,32],[20088,32],[21653,32],[22314,32]] },
  disputableSlasher: { contract: 'solidity/DisputableSlasher.sol:DisputableSlasher', unit: 'service', offset: 464, length: 6149, immutables: [[436,32],[2210,32],[5456,32]] },
  settings: { contract: 'solidity/Settings.sol:Settings', unit: 'service', offset: 3284, length: 4399, immutables: [[421,32],[492,32],[1296,32],[3228,32]] },
  license: { contract: 'solidity/License.sol:License', unit: 'service', offset: 1028, length: 4105, immutables: [] },
  rewardPool: { contract: 'solidity/RewardPool.sol:RewardPool', unit: 'service', offset: 278, length: 1738, immutables: [[222,32],[586,32],[1542,32]] },
  rewardToken: { contract: 'solidity/RewardToken.sol:RewardToken', unit: 'service', offset: 1088, length: 1489, immutables: [] },
  localRandomness: { contract: 'solidity/LocalRandomness.sol:LocalRandomness', unit: 'service', offset: 112, length: 538, immutables: [[323,32]] },
  multicall3: { contract: 'solidity/Multicall3.sol:Multicall3', unit: 'service', offset: 26, length: 876, immutables: [] },
  coordinatorRandomness: { contract: 'coordinator/CoordinatorRandomness.sol:CoordinatorRandomness', unit: 'production', offset: 577, length: 3161, immutables: [] },
  timelock: { contract: '@openzeppelin/contracts/governance/TimelockController.sol:TimelockController', unit: 'production', offset: 1145, length: 5394, immutables: [] },
  localCoordinator: { contract: 'coordinator/LocalCoordinator.sol:LocalCoordinator', unit: 'production', offset: 26, length: 2252, immutables: [] },
  revertingService: { contract: 'reverting/RevertingService.sol:RevertingService', unit: 'service', offset: 637, length: 12384, immutables: [[773,32],[850,32],[2266,32],[4183,32],[4422,32],[4601,32],[4738,32],[5145,32],[5365,32],[5478,32],[8832,32],[9466,32],[9791,32]] },
  revertingDaysService: { contract: 'reverting/RevertingDaysService.sol:RevertingDaysService', unit: 'service', offset: 679, length: 14338, immutables: [[888,32],[965,32],[1611,32],[3311,32],[5228,32],[5467,32],[5686,32],[5984,32],[6204,32],[6317,32],[8565,32],[8623,32],[8954,32],[9013,32],[10361,32],[10918,32],[11476,32],[11799,32]] },
} as const;
