// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IRandomness} from "../solidity/interfaces/IRandomness.sol";
import {IVrfConsumer} from "./IVrfCoordinator.sol";

/// @title A source of random words behind a coordinator (Chainlink VRF v2.5).
/// @notice A request is `Asked` until the coordinator answers. Its word then goes to the consumer in the same transaction. Where the
/// consumer refuses the word or runs out of gas, the word is kept (`Waiting`) and anybody can deliver it.
interface ICoordinatorRandomness is IRandomness, IVrfConsumer {
    enum State { Unknown, Asked, Waiting, Delivered }

    /// @param coordinator who answers
    /// @param subscriptionID the subscription that pays; this contract has to be one of its consumers
    /// @param keyHash the oracle's key
    /// @param requestConfirmations blocks that the oracle waits
    /// @param callbackGasLimit gas of an answer, the choosing of the nodes included
    /// @param nativePayment whether the subscription pays in the chain's own coin
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
    /// @notice The consumer refused the word, or ran out of gas (then `reason` is empty). `deliver` tries again.
    event DeliveryFailed(uint256 indexed requestId, bytes reason);

    error ConsumerAlreadySet(address consumer);
    error NoSuchContract(address account);
    error OnlyConsumer(address caller);
    error OnlyCoordinator(address caller);
    /// @notice The coordinator gave an id that is 0 or was given before.
    error UnusableRequestId(uint256 requestId);
    error WrongState(uint256 requestId, State state);
    error WrongWords(uint256 count);

    /// @notice Names the contract that may ask for words, once. For the owner.
    /// @dev Reverts: `ConsumerAlreadySet`, `NoSuchContract`.
    function setConsumer(address consumer) external;

    /// @notice Changes the coordinator or what it is asked with. For the owner. Requests that the coordinator before did not answer
    /// stay unanswered.
    /// @dev Reverts: `NoSuchContract`.
    function setSource(Source calldata source) external;

    /// @notice Gives a waiting word to the consumer. Open to all.
    /// @dev Reverts: `WrongState`, and as the consumer does.
    function deliver(uint256 requestId) external;

    function consumer() external view returns (address);
    function source() external view returns (Source memory);
    function states(uint256 requestId) external view returns (State);
}
