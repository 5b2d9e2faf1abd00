// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IRandomness, IRandomnessConsumer} from "../interfaces/IRandomness.sol";
import {Reasons} from "./Reasons.sol";
import {Sampling} from "./Sampling.sol";
import {State} from "./State.sol";

/// @title Attestations as TEEs report them, and the nodes that are chosen to verify them.
abstract contract Attestations is State, IRandomnessConsumer, Ownable2Step {
    constructor() Ownable(msg.sender) {}

    function setTee(address tee, bool allowed) external override onlyOwner {
        tees[tee] = allowed;
        emit TeeChanged(tee, allowed);
    }

    function teeReportAttestations(string[] calldata attestationInfos) external override {
        require(tees[msg.sender], Reasons.NOT_TEE);
        require(attestationInfos.length != 0, Reasons.NO_ATTESTATIONS);
        uint32 chosenID = ++_lastChosenID;
        bytes32[] memory ids = new bytes32[](attestationInfos.length);
        for (uint256 i = 0; i < ids.length; i++) {
            ids[i] = keccak256(bytes(attestationInfos[i]));
            Report storage report = _reports[ids[i]];
            require(report.reporter == address(0), Reasons.ATTESTATION_EXISTS);
            report.reporter = msg.sender;
            report.vrfChosenID = chosenID;
        }
        uint256 requestId = IRandomness(randomness).requestRandomness();
        _requests[requestId] = chosenID;
        emit TeeReportAttestations(msg.sender, ids, attestationInfos, requestId);
    }

    function fulfillRandomness(uint256 requestId, uint256 word) external override {
        require(msg.sender == randomness, Reasons.NOT_RANDOMNESS);
        uint32 chosenID = _requests[requestId];
        require(chosenID != 0, Reasons.UNKNOWN_REQUEST);
        delete _requests[requestId];
        uint32[] memory chosen = Sampling.choose(_activeList, _settings.rules().maxChosenNodes, word);
        uint256 deadline = block.timestamp + _settings.rules().reportWindow;
        _chosen[chosenID] = chosen;
        _deadlines[chosenID] = deadline;
        emit ConfirmVrfNodes(requestId, chosen, deadline);
    }
}
