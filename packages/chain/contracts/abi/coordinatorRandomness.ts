// Generated from the Solidity sources by compiler/writeArtifacts.ts; change the sources instead.

/**
 * The source of random words behind a coordinator.
 */
export const coordinatorRandomnessAbi = [
  {"inputs":[{"components":[{"internalType":"address","name":"coordinator","type":"address"},{"internalType":"uint256","name":"subscriptionID","type":"uint256"},{"internalType":"bytes32","name":"keyHash","type":"bytes32"},{"internalType":"uint16","name":"requestConfirmations","type":"uint16"},{"internalType":"uint32","name":"callbackGasLimit","type":"uint32"},{"internalType":"bool","name":"nativePayment","type":"bool"}],"internalType":"struct ICoordinatorRandomness.Source","name":"first","type":"tuple"}],"stateMutability":"nonpayable","type":"constructor"},
  {"inputs":[{"internalType":"address","name":"consumer","type":"address"}],"name":"ConsumerAlreadySet","type":"error"},
  {"inputs":[{"internalType":"address","name":"account","type":"address"}],"name":"NoSuchContract","type":"error"},
  {"inputs":[{"internalType":"address","name":"caller","type":"address"}],"name":"OnlyConsumer","type":"error"},
  {"inputs":[{"internalType":"address","name":"caller","type":"address"}],"name":"OnlyCoordinator","type":"error"},
  {"inputs":[{"internalType":"address","name":"owner","type":"address"}],"name":"OwnableInvalidOwner","type":"error"},
  {"inputs":[{"internalType":"address","name":"account","type":"address"}],"name":"OwnableUnauthorizedAccount","type":"error"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"UnusableRequestId","type":"error"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"},{"internalType":"enum ICoordinatorRandomness.State","name":"state","type":"uint8"}],"name":"WrongState","type":"error"},
  {"inputs":[{"internalType":"uint256","name":"count","type":"uint256"}],"name":"WrongWords","type":"error"},
  {"anonymous":false,"inputs":[{"indexed":false,"internalType":"address","name":"consumer","type":"address"}],"name":"ConsumerSet","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"uint256","name":"requestId","type":"uint256"},{"indexed":false,"internalType":"bytes","name":"reason","type":"bytes"}],"name":"DeliveryFailed","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"address","name":"previousOwner","type":"address"},{"indexed":true,"internalType":"address","name":"newOwner","type":"address"}],"name":"OwnershipTransferStarted","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"address","name":"previousOwner","type":"address"},{"indexed":true,"internalType":"address","name":"newOwner","type":"address"}],"name":"OwnershipTransferred","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"RandomnessDelivered","type":"event"},
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"RandomnessRequested","type":"event"},
  {"anonymous":false,"inputs":[{"components":[{"internalType":"address","name":"coordinator","type":"address"},{"internalType":"uint256","name":"subscriptionID","type":"uint256"},{"internalType":"bytes32","name":"keyHash","type":"bytes32"},{"internalType":"uint16","name":"requestConfirmations","type":"uint16"},{"internalType":"uint32","name":"callbackGasLimit","type":"uint32"},{"internalType":"bool","name":"nativePayment","type":"bool"}],"indexed":false,"internalType":"struct ICoordinatorRandomness.Source","name":"source","type":"tuple"}],"name":"SourceChanged","type":"event"},
  {"inputs":[],"name":"acceptOwnership","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"consumer","outputs":[{"internalType":"address","name":"","type":"address"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"deliver","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"owner","outputs":[{"internalType":"address","name":"","type":"address"}],"stateMutability":"view","type":"function"},
  {"inputs":[],"name":"pendingOwner","outputs":[{"internalType":"address","name":"","type":"address"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"},{"internalType":"uint256[]","name":"randomWords","type":"uint256[]"}],"name":"rawFulfillRandomWords","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"renounceOwnership","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"requestRandomness","outputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"internalType":"address","name":"consumer_","type":"address"}],"name":"setConsumer","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"components":[{"internalType":"address","name":"coordinator","type":"address"},{"internalType":"uint256","name":"subscriptionID","type":"uint256"},{"internalType":"bytes32","name":"keyHash","type":"bytes32"},{"internalType":"uint16","name":"requestConfirmations","type":"uint16"},{"internalType":"uint32","name":"callbackGasLimit","type":"uint32"},{"internalType":"bool","name":"nativePayment","type":"bool"}],"internalType":"struct ICoordinatorRandomness.Source","name":"next","type":"tuple"}],"name":"setSource","outputs":[],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[],"name":"source","outputs":[{"components":[{"internalType":"address","name":"coordinator","type":"address"},{"internalType":"uint256","name":"subscriptionID","type":"uint256"},{"internalType":"bytes32","name":"keyHash","type":"bytes32"},{"internalType":"uint16","name":"requestConfirmations","type":"uint16"},{"internalType":"uint32","name":"callbackGasLimit","type":"uint32"},{"internalType":"bool","name":"nativePayment","type":"bool"}],"internalType":"struct ICoordinatorRandomness.Source","name":"","type":"tuple"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"internalType":"uint256","name":"requestId","type":"uint256"}],"name":"states","outputs":[{"internalType":"enum ICoordinatorRandomness.State","name":"","type":"uint8"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"internalType":"address","name":"newOwner","type":"address"}],"name":"transferOwnership","outputs":[],"stateMutability":"nonpayable","type":"function"},
] as const;
