// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title A source of random words that answers later: a coordinator in production, a deterministic one on a local chain.
/// @dev An implementation answers each request at most once, never within `requestRandomness`, by calling
/// `IRandomnessConsumer.fulfillRandomness` of the address that asked.
interface IRandomness {
    /// @notice Asks for one random word.
    /// @return requestId never 0, never the same twice
    function requestRandomness() external returns (uint256 requestId);
}

/// @title Who receives random words.
interface IRandomnessConsumer {
    /// @notice Takes the word of a request. An answer that nobody waits for has no effect: one that was asked for anew since, that
    /// came before, or that comes when its attestations have ended.
    /// @dev Only the source may call. Reverts: "Not randomness source".
    function fulfillRandomness(uint256 requestId, uint256 word) external;
}

/// @title The local source's own functions.
interface ILocalRandomness is IRandomness {
    event RandomnessRequested(uint256 indexed requestId, address indexed consumer);

    error NoSuchRequest(uint256 requestId);

    /// @notice Answers a request with a word that follows from the seed and the request alone. Open to all.
    /// @dev Reverts: `NoSuchRequest` for one that was never asked or is answered.
    function fulfill(uint256 requestId) external;

    /// @notice The last request's id; 0: none yet.
    function lastRequestId() external view returns (uint256);
}
