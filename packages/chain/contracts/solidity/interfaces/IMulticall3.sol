// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Several calls in one transaction, each of which may be allowed to fail.
/// @dev The interface of the contract known as Multicall3, as far as relaying needs it.
interface IMulticall3 {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    /// @notice Runs the calls in order.
    /// @dev Reverts: "Multicall3: call failed", if a call fails that must not fail.
    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory returnData);
}
