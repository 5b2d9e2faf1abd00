// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IMulticall3} from "./interfaces/IMulticall3.sol";

/// @title Several calls in one transaction. Each callee sees this contract as its caller.
contract Multicall3 is IMulticall3 {
    function aggregate3(Call3[] calldata calls) external payable override returns (Result[] memory returnData) {
        returnData = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory answer) = calls[i].target.call(calls[i].callData);
            require(success || calls[i].allowFailure, "Multicall3: call failed");
            returnData[i] = Result(success, answer);
        }
    }
}
