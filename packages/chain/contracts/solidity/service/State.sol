// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ISettings} from "../interfaces/ISettings.sol";
import {IVerifierService} from "../interfaces/IVerifierService.sol";
import {Reasons, _require} from "./Reasons.sol";

/// @title Storage of the service, and internal views of it.
abstract contract State is IVerifierService {
    /// @dev The first slot contains everything that a report needs of its node.
    struct Node {
        uint32 id;
        uint32 listIndex;
        bool active;
        uint32 weight;
        uint16 delegations;
        uint32 lastConfirmDate;
        // The last day that was reported as active; unsettled while it is after lastConfirmDate.
        uint32 lastActiveDate;
        uint16 commissionRate;
        uint16 missed;
        uint40 lastModifyAt;
        // second slot
        address claimer;
        uint40 lastEnterTime;
        // third slot
        uint128 selfTotal;
        uint128 selfClaimed;
        // fourth slot: total earnings of one license, and the number of licenses that were added too late on lateDate to earn that day
        uint128 perLicense;
        uint32 lateDate;
        uint32 late;
    }

    /// @dev A license counts for `node`. It earned `total`, of which `claimed` was paid, and with `node` what `perLicense` grew since `mark`,
    /// without `lateDate`, a day that the license came too late for; 0: none.
    struct License {
        address node;
        bool delegated;
        uint32 lateDate;
        uint128 mark;
        uint128 total;
        uint128 claimed;
    }

    /// @dev The remaining reward of a day, the weight that shares the day, and the settled part of this weight.
    struct Day {
        uint128 pot;
        uint32 weight;
        uint32 settled;
        bool opened;
    }

    struct Report {
        address reporter;
        uint32 vrfChosenID;
        uint16 valid;
        uint16 invalid;
        uint16 malicious;
        bool concluded;
    }

    /// @dev Shared data of attestations that were reported together. The values of the rules are stored when they first apply: a later change
    /// of the settings does not affect the attestations.
    struct Selection {
        // Last second for a random word, and time of the last request.
        uint40 expiresAt;
        uint40 askedAt;
        // Last second for reports, 0 before the selection; and the number of votes that a verdict needs.
        uint40 deadline;
        uint16 votesNeeded;
        // First and last request if the word was requested again, otherwise 0.
        uint256 firstRequest;
        uint256 lastRequest;
    }

    uint256 internal constant DAYS_PER_WORD = 8;

    ISettings internal immutable _settings;
    address public immutable override license;
    address public immutable override randomness;
    address public immutable override rewardPool;
    uint32 internal immutable _dayLength;

    mapping(address node => Node) internal _nodes;
    mapping(uint32 id => address) public override nodeAddrByID;
    uint32 internal _lastNodeID;
    uint32 internal _lastChosenID;
    uint32[] internal _activeList;

    mapping(uint256 tokenID => License) internal _licenses;
    mapping(uint32 date => Day) internal _days;
    // The value of perLicense after the settlement of a day for which some licenses were added too late.
    mapping(address node => mapping(uint32 date => uint128 perLicense)) internal _lateMarks;
    // Weights of settled days: 32 bits for each, a word for 8 days.
    mapping(address node => mapping(uint256 word => uint256)) internal _settledWeights;

    mapping(address tee => bool) public override tees;
    mapping(bytes32 attestationID => Report) internal _reports;
    mapping(uint256 requestId => uint32 vrfChosenID) internal _requests;
    mapping(uint32 vrfChosenID => Selection) internal _selections;
    mapping(uint32 vrfChosenID => uint32[]) internal _chosen;
    // Two bits per index of the chosen list: 0 no vote, otherwise 1 + result. A word holds 128 entries.
    mapping(bytes32 attestationID => mapping(uint256 word => uint256)) internal _votes;
    mapping(bytes32 attestationID => mapping(uint256 word => uint256)) internal _slashed;

    mapping(bytes32 digest => mapping(address signer => bool)) public override usedDigest;

    constructor(address settings_, address license_, address randomness_, address rewardPool_) {
        _settings = ISettings(settings_);
        license = license_;
        randomness = randomness_;
        rewardPool = rewardPool_;
        _dayLength = _settings.dayLength();
    }

    function settings() external view override returns (address) {
        return address(_settings);
    }

    function nodeInfos(address node) external view override returns (NodeInfo memory) {
        Node storage n = _nodes[node];
        return NodeInfo({
            id: n.id,
            listIndex: n.active ? n.listIndex : type(uint32).max,
            active: n.active,
            lastConfirmDate: n.lastConfirmDate,
            missed: n.missed,
            selfTotal: n.selfTotal,
            selfClaimed: n.selfClaimed,
            delegationRewards: n.perLicense,
            lastEnterTime: n.lastEnterTime,
            claimer: n.claimer,
            commissionRate: n.commissionRate,
            lastModifyAt: n.lastModifyAt
        });
    }

    function delegationWeights(address node) external view override returns (uint32) {
        return _nodes[node].weight;
    }

    function delegationCount(address node) external view override returns (uint32) {
        return _nodes[node].delegations;
    }

    function delegation(uint256 tokenID) external view override returns (address) {
        return _licenses[tokenID].node;
    }

    function activeVrfNodeList(uint256 listIndex) external view override returns (uint32) {
        return _activeList[listIndex];
    }

    function activeNodeCount() external view override returns (uint256) {
        return _activeList.length;
    }

    function activeNodes(uint256 offset, uint256 limit) external view override returns (ActiveNode[] memory found) {
        uint256 length = _activeList.length;
        uint256 left = offset < length ? length - offset : 0;
        found = new ActiveNode[](limit < left ? limit : left);
        for (uint256 i = 0; i < found.length; i++) {
            uint32 id = _activeList[offset + i];
            address node = nodeAddrByID[id];
            found[i] = ActiveNode(node, id, _nodes[node].weight);
        }
    }

    function attestations(bytes32 attestationID) external view override returns (Attestation memory) {
        Report storage report = _reports[attestationID];
        return Attestation({
            reporter: report.reporter,
            valid: report.valid,
            invalid: report.invalid,
            malicious: report.malicious,
            vrfChosenID: report.vrfChosenID,
            deadline: _selections[report.vrfChosenID].deadline
        });
    }

    function vrfChosenMap(uint32 vrfChosenID, uint256 index) external view override returns (uint32) {
        return _chosen[vrfChosenID][index];
    }

    function chosenNodes(uint32 vrfChosenID) external view override returns (uint32[] memory) {
        return _chosen[vrfChosenID];
    }

    function dayInfo(uint32 date) external view override returns (uint128 pot, uint64 weight) {
        Day storage day = _days[date];
        return (day.pot, day.weight - day.settled);
    }

    function nodeDailyActive(address node, uint32 date) external view override returns (uint32) {
        Node storage n = _nodes[node];
        // A weight does not change between the end of a day and its settlement.
        if (date == n.lastActiveDate && date > n.lastConfirmDate) return _earningWeight(n, date);
        return uint32(_settledWeights[node][date / DAYS_PER_WORD] >> _shiftOfDay(date));
    }

    function globalDailyActiveNodes(uint32 date) external view override returns (uint32) {
        return _days[date].weight;
    }

    function tokenRewardInfos(uint256 tokenID) external view override returns (uint256, uint256, uint256) {
        License storage token = _licenses[tokenID];
        return (token.mark, token.total, token.claimed);
    }

    function checkClaimed(uint256 tokenID) external view override returns (bool) {
        return _licenses[tokenID].total != 0;
    }

    function todayIndex() external view override returns (uint32) {
        return currentDate();
    }

    function todayOffset() external view override returns (uint256) {
        return block.timestamp % _dayLength;
    }

    function currentDate() public view override returns (uint32) {
        return uint32(block.timestamp / _dayLength);
    }

    /// @dev The number of licenses of a node that can earn on a day, by the current state.
    function _earningWeight(Node storage n, uint32 date) internal view returns (uint32) {
        return n.lateDate == date ? n.weight - n.late : n.weight;
    }

    function _shiftOfDay(uint32 date) internal pure returns (uint256) {
        return (date % DAYS_PER_WORD) * 32;
    }

    /// @dev The code contains each external call only once, because the contract must fit into 24,576 bytes.
    function _rules() internal view returns (ISettings.Rules memory) {
        return _settings.rules();
    }

    function _verdictRules() internal view returns (ISettings.VerdictRules memory) {
        return _settings.verdictRules();
    }

    function _requireHolder(uint256 tokenID) internal view {
        _require(IERC721(license).ownerOf(tokenID) == msg.sender, Reasons.NOT_TOKEN_OWNER);
    }
}
