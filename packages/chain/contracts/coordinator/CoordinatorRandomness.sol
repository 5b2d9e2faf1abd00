// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {ICoordinatorRandomness} from "./ICoordinatorRandomness.sol";
import {IVrfCoordinator} from "./IVrfCoordinator.sol";

/// @title Random words from a coordinator, for the service. `ICoordinatorRandomness` documents each function.
contract CoordinatorRandomness is ICoordinatorRandomness, Ownable2Step {
    // The tag by which a coordinator recognizes its extra arguments.
    bytes4 private constant EXTRA_ARGS = bytes4(keccak256("VRF ExtraArgsV1"));
    // Gas that an answer needs after the consumer's call: storing a word (22,100 gas), a state (5,000) and an event with a reason.
    uint256 private constant GAS_KEPT = 60_000;

    address public override consumer;
    Source private _source;
    mapping(uint256 requestId => State) public override states;
    mapping(uint256 requestId => uint256) private _words;

    constructor(Source memory first) Ownable(msg.sender) {
        _setSource(first);
    }

    function setConsumer(address consumer_) external override onlyOwner {
        if (consumer != address(0)) revert ConsumerAlreadySet(consumer);
        if (consumer_.code.length == 0) revert NoSuchContract(consumer_);
        consumer = consumer_;
        emit ConsumerSet(consumer_);
    }

    function setSource(Source calldata next) external override onlyOwner {
        _setSource(next);
    }

    /// @dev Only the consumer may call, because the subscription pays for each request.
    function requestRandomness() external override returns (uint256 requestId) {
        if (msg.sender != consumer) revert OnlyConsumer(msg.sender);
        requestId = IVrfCoordinator(_source.coordinator).requestRandomWords(
            IVrfCoordinator.RandomWordsRequest({
                keyHash: _source.keyHash,
                subId: _source.subscriptionID,
                requestConfirmations: _source.requestConfirmations,
                callbackGasLimit: _source.callbackGasLimit,
                numWords: 1,
                extraArgs: abi.encodeWithSelector(EXTRA_ARGS, _source.nativePayment)
            })
        );
        if (requestId == 0 || states[requestId] != State.Unknown) revert UnusableRequestId(requestId);
        states[requestId] = State.Asked;
        emit RandomnessRequested(requestId);
    }

    function rawFulfillRandomWords(uint256 requestId, uint256[] calldata randomWords) external override {
        if (msg.sender != _source.coordinator) revert OnlyCoordinator(msg.sender);
        if (states[requestId] != State.Asked) revert WrongState(requestId, states[requestId]);
        if (randomWords.length != 1) revert WrongWords(randomWords.length);
        states[requestId] = State.Delivered;
        uint256 left = gasleft();
        // A coordinator never repeats an answer, so the word must not be lost if the consumer fails.
        try IRandomnessConsumer(consumer).fulfillRandomness{gas: left > GAS_KEPT ? left - GAS_KEPT : 0}(requestId, randomWords[0]) {
            emit RandomnessDelivered(requestId);
        } catch (bytes memory reason) {
            states[requestId] = State.Waiting;
            _words[requestId] = randomWords[0];
            emit DeliveryFailed(requestId, reason);
        }
    }

    function deliver(uint256 requestId) external override {
        if (states[requestId] != State.Waiting) revert WrongState(requestId, states[requestId]);
        states[requestId] = State.Delivered;
        IRandomnessConsumer(consumer).fulfillRandomness(requestId, _words[requestId]);
        emit RandomnessDelivered(requestId);
    }

    function source() external view override returns (Source memory) {
        return _source;
    }

    function _setSource(Source memory next) private {
        if (next.coordinator.code.length == 0) revert NoSuchContract(next.coordinator);
        _source = next;
        emit SourceChanged(next);
    }
}
