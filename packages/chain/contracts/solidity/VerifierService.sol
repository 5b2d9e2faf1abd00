// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Delegations} from "./service/Delegations.sol";
import {SignedMessages} from "./service/SignedMessages.sol";
import {Slashing} from "./service/Slashing.sol";
import {State} from "./service/State.sol";

/// @title The service, composed of its parts. `IVerifierService` documents each function.
contract VerifierService is Delegations, Slashing {
    constructor(
        address settings_,
        address license_,
        address randomness_,
        address rewardPool_,
        string memory domainName,
        string memory domainVersion
    ) State(settings_, license_, randomness_, rewardPool_) SignedMessages(domainName, domainVersion) {}

    function multicall(bytes[] calldata calls) external override returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            // A delegatecall to this contract keeps msg.sender; a failed call reverts its own changes only.
            (bool succeeded, bytes memory answer) = address(this).delegatecall(calls[i]);
            if (succeeded) results[i] = answer;
            else emit CallFailed(i, answer);
        }
    }

    function supportsIsolation() external pure override returns (bool) {
        return true;
    }
}
