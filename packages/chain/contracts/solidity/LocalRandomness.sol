// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ILocalRandomness, IRandomnessConsumer} from "./interfaces/IRandomness.sol";

/// @title Random words for local chains and tests: the same seed gives the same words.
/// @dev Anyone can compute the words in advance. Production chains use a coordinator instead of this contract.
contract LocalRandomness is ILocalRandomness {
    bytes32 private immutable _seed;
    uint256 public override lastRequestId;
    mapping(uint256 requestId => address consumer) private _consumers;

    constructor(bytes32 seed) {
        _seed = seed;
    }

    function requestRandomness() external override returns (uint256 requestId) {
        requestId = ++lastRequestId;
        _consumers[requestId] = msg.sender;
        emit RandomnessRequested(requestId, msg.sender);
    }

    function fulfill(uint256 requestId) external override {
        address consumer = _consumers[requestId];
        if (consumer == address(0)) revert NoSuchRequest(requestId);
        delete _consumers[requestId];
        IRandomnessConsumer(consumer).fulfillRandomness(requestId, uint256(keccak256(abi.encode(_seed, requestId))));
    }
}
