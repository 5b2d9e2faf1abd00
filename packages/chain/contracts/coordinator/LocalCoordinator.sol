// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVrfConsumer, IVrfCoordinator} from "./IVrfCoordinator.sol";

/// @title A coordinator for local chains and tests. Anyone can answer requests and compute the words in advance.
/// @dev Consumers see the behavior of a real coordinator: only consumers of a subscription can request words, an answer comes after the
/// requested blocks with exactly the requested gas, and counts as answered if the consumer fails. `repeat` misbehaves on purpose.
contract LocalCoordinator is IVrfCoordinator {
    struct Request {
        address consumer;
        uint256 earliestBlock;
        uint32 callbackGasLimit;
        uint32 numWords;
        bool answered;
    }

    uint256 public lastSubscriptionID;
    uint256 public lastRequestID;
    mapping(uint256 requestId => Request) public requests;
    mapping(uint256 subId => address[]) private _consumers;

    event RandomWordsRequested(
        bytes32 indexed keyHash, uint256 requestId, uint256 indexed subId, uint16 requestConfirmations,
        uint32 callbackGasLimit, uint32 numWords, bytes extraArgs, address indexed sender
    );
    event RandomWordsFulfilled(uint256 indexed requestId, bool success);

    error InvalidConsumer(uint256 subId, address consumer);
    error NoSuchRequest(uint256 requestId);
    error TooEarly(uint256 earliestBlock);
    error NotEnoughGas(uint256 left, uint256 needed);

    function createSubscription() external returns (uint256 subId) {
        return ++lastSubscriptionID;
    }

    function addConsumer(uint256 subId, address consumer) external {
        _consumers[subId].push(consumer);
    }

    function requestRandomWords(RandomWordsRequest calldata request) external override returns (uint256 requestId) {
        if (!_isConsumer(request.subId, msg.sender)) revert InvalidConsumer(request.subId, msg.sender);
        lastRequestID++;
        requestId = uint256(keccak256(abi.encode(address(this), lastRequestID)));
        requests[requestId] =
            Request(msg.sender, block.number + request.requestConfirmations, request.callbackGasLimit, request.numWords, false);
        emit RandomWordsRequested(
            request.keyHash, requestId, request.subId, request.requestConfirmations,
            request.callbackGasLimit, request.numWords, request.extraArgs, msg.sender
        );
    }

    /// @notice Answers a request, once and after the requested blocks.
    function fulfill(uint256 requestId) external {
        Request storage request = requests[requestId];
        if (request.consumer == address(0) || request.answered) revert NoSuchRequest(requestId);
        if (block.number < request.earliestBlock) revert TooEarly(request.earliestBlock);
        _answer(requestId);
    }

    /// @notice Answers a request again, which no honest coordinator does.
    function repeat(uint256 requestId) external {
        _answer(requestId);
    }

    function getSubscription(uint256 subId)
        external
        view
        override
        returns (uint96 balance, uint96 nativeBalance, uint64 reqCount, address owner, address[] memory consumers)
    {
        return (1 ether, 1 ether, uint64(lastRequestID), address(this), _consumers[subId]);
    }

    function _answer(uint256 requestId) private {
        Request storage request = requests[requestId];
        request.answered = true;
        uint256[] memory words = new uint256[](request.numWords);
        for (uint256 i = 0; i < words.length; i++) words[i] = uint256(keccak256(abi.encode(requestId, i)));
        bytes memory call = abi.encodeCall(IVrfConsumer.rawFulfillRandomWords, (requestId, words));
        uint256 needed = uint256(request.callbackGasLimit) * 64 / 63 + 20_000;
        if (gasleft() < needed) revert NotEnoughGas(gasleft(), needed);
        (bool success,) = request.consumer.call{gas: request.callbackGasLimit}(call);
        emit RandomWordsFulfilled(requestId, success);
    }

    function _isConsumer(uint256 subId, address account) private view returns (bool) {
        address[] storage consumers = _consumers[subId];
        for (uint256 i = 0; i < consumers.length; i++) if (consumers[i] == account) return true;
        return false;
    }
}
