// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title An asynchronous source of random words: a coordinator in production, a deterministic source on a local chain.
/// @dev An implementation answers each request at most once, never within `requestRandomness`, by calling
/// `IRandomnessConsumer.fulfillRandomness` of the requester.
interface IRandomness {
    /// @notice Requests one random word.
    /// @return requestId never 0, never the same twice
    function requestRandomness() external returns (uint256 requestId);
}

/// @title The receiver of random words.
interface IRandomnessConsumer {
    /// @notice Receives the word of a request. An answer has no effect if the word was requested again since, if an answer
    /// was already received, or if the attestations have ended.
    /// @dev Only the source may call. Reverts: "Not randomness source".
    function fulfillRandomness(uint256 requestId, uint256 word) external;
}

/// @title Additional functions of the local source.
interface ILocalRandomness is IRandomness {
    event RandomnessRequested(uint256 indexed requestId, address indexed consumer);

    error NoSuchRequest(uint256 requestId);

    /// @notice Answers a request with a word that depends only on the seed and the request. Anyone may call.
    /// @dev Reverts: `NoSuchRequest` if the request does not exist or is already answered.
    function fulfill(uint256 requestId) external;

    /// @notice Id of the last request; 0: none yet.
    function lastRequestId() external view returns (uint256);
}
