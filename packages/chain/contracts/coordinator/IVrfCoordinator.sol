// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The functions of a VRF coordinator that a consumer with a subscription needs.
/// @dev Functions and struct are compatible with Chainlink VRF v2.5.
interface IVrfCoordinator {
    /// @param keyHash the oracle's key, which also bounds the gas price of its answer
    /// @param subId the subscription that pays; the caller must be one of its consumers
    /// @param requestConfirmations blocks to wait before the answer
    /// @param callbackGasLimit gas of the answer's call; a call that fails is not repeated
    /// @param numWords number of words
    /// @param extraArgs empty, or the bytes that `CoordinatorRandomness` writes for payment in the native currency
    struct RandomWordsRequest {
        bytes32 keyHash;
        uint256 subId;
        uint16 requestConfirmations;
        uint32 callbackGasLimit;
        uint32 numWords;
        bytes extraArgs;
    }

    function requestRandomWords(RandomWordsRequest calldata request) external returns (uint256 requestId);

    function getSubscription(uint256 subId)
        external
        view
        returns (uint96 balance, uint96 nativeBalance, uint64 reqCount, address owner, address[] memory consumers);
}

/// @title The callback of a coordinator.
interface IVrfConsumer {
    function rawFulfillRandomWords(uint256 requestId, uint256[] calldata randomWords) external;
}
