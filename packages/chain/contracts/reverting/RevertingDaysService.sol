// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {RevertingReasons} from "./RevertingReasons.sol";
import {RevertingService} from "./RevertingService.sol";

/// @title The reverting service with the days and the slashing of the upstream service, for tests of nodes that leave the active set.
/// @dev Days are counted from the deployment, not from midnight. A report that is too early or repeated changes nothing and
/// does not revert: only the event shows that the day is credited. A node without a license leaves the active set, leaving
/// credits the day, and a node that left can still be slashed for a missed report. This is a separate contract, because further
/// functions would change the gas of the reverting service, which benchmarks use as a baseline.
contract RevertingDaysService is RevertingService {
    uint256 private immutable _firstDayStart = block.timestamp;
    mapping(uint32 day => uint32 weight) public globalDailyActiveNodes;
    mapping(address node => mapping(uint32 day => uint32 weight)) public nodeDailyActive;
    mapping(address node => mapping(bytes32 attestationID => bool)) public nodeSlashed;

    constructor(
        address settings_,
        address license_,
        address randomness_,
        address rewardPool_,
        string memory domainName,
        string memory domainVersion
    ) RevertingService(settings_, license_, randomness_, rewardPool_, domainName, domainVersion) {}

    function nodeReportDailyActive(address node) external override {
        require(nodeInfos[node].active, RevertingReasons.NOT_ACTIVE);
        _creditToday(node);
    }

    /// @dev Slashes a missed report. Slashed amounts and rewards are not implemented.
    function nodeSlash(address node, bytes32 attestationID, uint32 index) external {
        IVerifierService.NodeInfo storage info = nodeInfos[node];
        IVerifierService.Attestation storage attestation = attestations[attestationID];
        require(attestation.deadline != 0, RevertingReasons.WAITING_VRF);
        require(block.timestamp > attestation.deadline, RevertingReasons.DEADLINE_NOT_PASSED);
        require(vrfChosenMap[attestation.vrfChosenID][index] == info.id, RevertingReasons.NOT_CHOSEN);
        require(!nodeSlashed[node][attestationID], RevertingReasons.ALREADY_SLASH);
        require(!attestationVerifiedNode[attestationID][node], RevertingReasons.NOT_TO_BE_SLASHED);
        nodeSlashed[node][attestationID] = true;
        info.missed++;
        if (info.active && info.missed >= _settings.rules().maxMissedReports) _exit(node);
        emit IVerifierService.NodeSlash(msg.sender, node, attestationID, 0);
    }

    /// @notice Number of the current day, starting at 1.
    function todayIndex() public view returns (uint32) {
        return uint32((block.timestamp - _firstDayStart) / _settings.dayLength()) + 1;
    }

    /// @notice Seconds since the start of the current day.
    function todayOffset() public view returns (uint256) {
        return (block.timestamp - _firstDayStart) % _settings.dayLength();
    }

    function _creditToday(address node) private {
        uint32 today = todayIndex();
        uint256 minOnline = _settings.rules().minOnline;
        if (nodeDailyActive[node][today] != 0 || delegationWeights[node] == 0) return;
        if (todayOffset() < minOnline || block.timestamp - nodeInfos[node].lastEnterTime < minOnline) return;
        nodeDailyActive[node][today] = delegationWeights[node];
        globalDailyActiveNodes[today] += delegationWeights[node];
        emit IVerifierService.NodeDailyActive(node, today);
    }

    function _clear(address node) internal override {
        _creditToday(node);
        super._clear(node);
    }

    function _point(uint256 tokenID, address to) internal override {
        address before = delegation[tokenID];
        super._point(tokenID, to);
        if (nodeInfos[before].active && delegationWeights[before] == 0) _exit(before);
    }
}
