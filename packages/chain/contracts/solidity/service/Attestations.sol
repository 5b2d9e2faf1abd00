// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IRandomness, IRandomnessConsumer} from "../interfaces/IRandomness.sol";
import {Reasons, _require} from "./Reasons.sol";
import {Sampling} from "./Sampling.sol";
import {State} from "./State.sol";

/// @title Attestations that TEEs report, and the nodes that are chosen to verify them.
abstract contract Attestations is State, IRandomnessConsumer, Ownable2Step {
    uint256 private constant WHOLE = 10_000;

    constructor() Ownable(msg.sender) {}

    function setTee(address tee, bool allowed) external override onlyOwner {
        tees[tee] = allowed;
        emit TeeChanged(tee, allowed);
    }

    function teeReportAttestations(string[] calldata attestationInfos) external override {
        _require(tees[msg.sender], Reasons.NOT_TEE);
        _require(attestationInfos.length != 0, Reasons.NO_ATTESTATIONS);
        uint32 chosenID = ++_lastChosenID;
        bytes32[] memory ids = new bytes32[](attestationInfos.length);
        for (uint256 i = 0; i < ids.length; i++) {
            ids[i] = keccak256(bytes(attestationInfos[i]));
            Report storage report = _reports[ids[i]];
            _require(report.reporter == address(0), Reasons.ATTESTATION_EXISTS);
            report.reporter = msg.sender;
            report.vrfChosenID = chosenID;
        }
        _selections[chosenID].expiresAt = uint40(block.timestamp) + _verdictRules().selectionPeriod;
        uint256 requestId = _request(chosenID);
        emit TeeReportAttestations(msg.sender, ids, attestationInfos, requestId);
    }

    function requestRandomnessAgain(uint256 requestID) external override {
        uint32 chosenID = _requests[requestID];
        Selection storage selection = _selections[chosenID];
        _require(_isWaiting(selection), Reasons.NOT_WAITING_VRF);
        _require(block.timestamp >= selection.askedAt + _verdictRules().randomnessRetry, Reasons.ASKED_RECENTLY);
        if (selection.firstRequest == 0) selection.firstRequest = requestID;
        selection.lastRequest = _request(chosenID);
        emit RandomnessRequestedAgain(selection.firstRequest, selection.lastRequest);
    }

    function fulfillRandomness(uint256 requestId, uint256 word) external override {
        _require(msg.sender == randomness, Reasons.NOT_RANDOMNESS);
        uint32 chosenID = _requests[requestId];
        Selection storage selection = _selections[chosenID];
        uint256 firstRequest = selection.firstRequest == 0 ? requestId : selection.firstRequest;
        bool isLast = selection.firstRequest == 0 || selection.lastRequest == requestId;
        if (!isLast || !_isWaiting(selection)) {
            emit RandomnessIgnored(requestId);
            return;
        }
        delete _requests[requestId];
        uint32[] memory chosen = Sampling.choose(_activeList, _rules().maxChosenNodes, word);
        uint40 deadline = uint40(block.timestamp) + _rules().reportWindow;
        _chosen[chosenID] = chosen;
        selection.deadline = deadline;
        selection.votesNeeded = uint16((chosen.length * _verdictRules().quorum) / WHOLE) + 1;
        emit ConfirmVrfNodes(firstRequest, chosen, deadline);
    }

    function concludeAttestation(bytes32 attestationID) public override {
        AttestationState state = attestationState(attestationID);
        _require(state != AttestationState.Unknown, Reasons.ATTESTATION_UNKNOWN);
        _require(state != AttestationState.Waiting, Reasons.WAITING_VRF);
        _require(state != AttestationState.Open, Reasons.DEADLINE_NOT_PASSED);
        Report storage report = _reports[attestationID];
        if (report.concluded) return;
        report.concluded = true;
        emit AttestationConcluded(attestationID, state, _votesOf(report), votesNeeded(attestationID));
    }

    function attestationState(bytes32 attestationID) public view override returns (AttestationState) {
        Report storage report = _reports[attestationID];
        if (report.reporter == address(0)) return AttestationState.Unknown;
        Selection storage selection = _selections[report.vrfChosenID];
        if (_isWaiting(selection)) return AttestationState.Waiting;
        if (selection.deadline == 0) return AttestationState.Unselected;
        if (block.timestamp <= selection.deadline) return AttestationState.Open;
        uint256 votes = _votesOf(report);
        if (votes < selection.votesNeeded) return AttestationState.NoVerdict;
        if (report.valid > votes / 2) return AttestationState.Valid;
        if (report.invalid > votes / 2) return AttestationState.Invalid;
        return report.malicious > votes / 2 ? AttestationState.Malicious : AttestationState.NoVerdict;
    }

    function votesNeeded(bytes32 attestationID) public view override returns (uint256) {
        return _selections[_reports[attestationID].vrfChosenID].votesNeeded;
    }

    function verdict(bytes32 attestationID) public view override returns (bool decided, uint8 result) {
        AttestationState state = attestationState(attestationID);
        decided = state >= AttestationState.Valid && state <= AttestationState.Malicious;
        if (decided) result = uint8(state) - uint8(AttestationState.Valid);
    }

    /// @dev A selection without attestations is not waiting, because its time is 0.
    function _isWaiting(Selection storage selection) private view returns (bool) {
        return selection.deadline == 0 && block.timestamp <= selection.expiresAt;
    }

    function _votesOf(Report storage report) private view returns (uint256) {
        return uint256(report.valid) + report.invalid + report.malicious;
    }

    function _request(uint32 chosenID) private returns (uint256 requestId) {
        _selections[chosenID].askedAt = uint40(block.timestamp);
        requestId = IRandomness(randomness).requestRandomness();
        _requests[requestId] = chosenID;
    }
}
