// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../interfaces/ISettings.sol";
import {IVerifierService} from "../interfaces/IVerifierService.sol";

/// @title What the service stores, and the reading of it that needs no rule.
abstract contract State is IVerifierService {
    /// @dev The first slot holds all that a report needs to know of its node.
    struct Node {
        uint32 id;
        uint32 listIndex;
        bool active;
        uint32 weight;
        uint16 delegations;
        uint32 lastConfirmDate;
        // The last day that was reported as active. It is not settled yet while it is after lastConfirmDate.
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
        // fourth slot: what one license earned here since the beginning
        uint128 perLicense;
    }

    /// @dev A license counts for `node`. It earned `accrued`, and with `node` what `perLicense` grew since `mark`.
    struct License {
        address node;
        bool delegated;
        uint128 mark;
        uint128 accrued;
    }

    /// @dev The reward of a day that is not settled yet, and the weight that shares it.
    struct Day {
        uint128 pot;
        uint64 weight;
        bool opened;
    }

    struct Report {
        address reporter;
        uint32 vrfChosenID;
        uint16 valid;
        uint16 invalid;
        uint16 malicious;
    }

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

    mapping(address tee => bool) public override tees;
    mapping(bytes32 attestationID => Report) internal _reports;
    mapping(uint256 requestId => uint32 vrfChosenID) internal _requests;
    // Attestations that were reported together share their chosen nodes and the deadline for reports; 0 before the choosing.
    mapping(uint32 vrfChosenID => uint256 deadline) internal _deadlines;
    mapping(uint32 vrfChosenID => uint32[]) internal _chosen;
    // Two bits for each place of the chosen list: 0 no vote, else 1 + result. A word holds 128 places.
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
            listIndex: n.listIndex,
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
            deadline: _deadlines[report.vrfChosenID]
        });
    }

    function vrfChosenMap(uint32 vrfChosenID, uint256 index) external view override returns (uint32) {
        return _chosen[vrfChosenID][index];
    }

    function chosenNodes(uint32 vrfChosenID) external view override returns (uint32[] memory) {
        return _chosen[vrfChosenID];
    }

    function dayInfo(uint32 date) external view override returns (uint128 pot, uint64 weight) {
        return (_days[date].pot, _days[date].weight);
    }

    function currentDate() public view override returns (uint32) {
        return uint32(block.timestamp / _dayLength);
    }
}
