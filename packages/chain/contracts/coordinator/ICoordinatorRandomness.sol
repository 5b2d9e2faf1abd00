// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IRandomness} from "../solidity/interfaces/IRandomness.sol";
import {IVrfConsumer} from "./IVrfCoordinator.sol";

/// @title A source of random words behind a coordinator (Chainlink VRF v2.5).
/// @notice A request is `Asked` until the coordinator answers. The consumer then receives the word in the same transaction. If the
/// consumer rejects the word or runs out of gas, the word is stored (`Waiting`) and anyone can deliver it.
interface ICoordinatorRandomness is IRandomness, IVrfConsumer {
    enum State { Unknown, Asked, Waiting, Delivered }

    /// @param coordinator the contract that answers requests
    /// @param subscriptionID the subscription that pays; this contract must be one of its consumers
    /// @param keyHash the oracle's key
    /// @param requestConfirmations number of blocks that the oracle waits
    /// @param callbackGasLimit gas of an answer, including the selection of the nodes
    /// @param nativePayment whether the subscription pays in the native currency of the chain
    struct Source {
        address coordinator;
        uint256 subscriptionID;
        bytes32 keyHash;
        uint16 requestConfirmations;
        uint32 callbackGasLimit;
        bool nativePayment;
    }

    event ConsumerSet(address consumer);
    event SourceChanged(Source source);
    event RandomnessRequested(uint256 indexed requestId);
    event RandomnessDelivered(uint256 indexed requestId);
    /// @notice The consumer rejected the word, or ran out of gas (then `reason` is empty). `deliver` tries again.
    event DeliveryFailed(uint256 indexed requestId, bytes reason);

    error ConsumerAlreadySet(address consumer);
    error NoSuchContract(address account);
    error OnlyConsumer(address caller);
    error OnlyCoordinator(address caller);
    /// @notice The coordinator returned an id that is 0 or already used.
    error UnusableRequestId(uint256 requestId);
    error WrongState(uint256 requestId, State state);
    error WrongWords(uint256 count);

    /// @notice Sets the contract that may request words, once. Only for the owner.
    /// @dev Reverts: `ConsumerAlreadySet`, `NoSuchContract`.
    function setConsumer(address consumer) external;

    /// @notice Changes the coordinator or the request parameters. Only for the owner. Unanswered requests of the previous coordinator
    /// stay unanswered.
    /// @dev Reverts: `NoSuchContract`.
    function setSource(Source calldata source) external;

    /// @notice Delivers a waiting word to the consumer. Anyone may call.
    /// @dev Reverts: `WrongState`, and as the consumer does.
    function deliver(uint256 requestId) external;

    function consumer() external view returns (address);
    function source() external view returns (Source memory);
    function states(uint256 requestId) external view returns (State);
}
