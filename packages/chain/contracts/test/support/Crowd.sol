// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./Harness.sol";
import {Signing} from "./Signing.sol";
import {vm} from "./Vm.sol";

/// @title Some operators that do whatever forge thinks of, in any order, allowed or not.
/// @dev Days and deadlines are short and the active set is smaller than the crowd, so that everything happens often.
contract Crowd is Harness {
    uint256 public constant OPERATORS = 6;
    uint256 private constant LICENSES_MOST = 40;

    struct Message {
        uint256 operator;
        bool isExit;
        uint256 expiredAt;
        Signing.Signature signature;
    }

    bytes32[] public seenAttestations;
    uint32[] public seenDays;
    /// @notice Votes that were answered without a revert or a skip, counted apart from the contract.
    mapping(bytes32 attestationID => uint256) public votes;
    mapping(bytes32 attestationID => mapping(address node => bool)) public voted;
    /// @notice What must never happen, as soon as it did.
    string public scandal;
    /// @notice How many calls took effect, by the name of the action.
    mapping(string action => uint256) public done;

    /// @notice How often a used message was sent again.
    uint256 public replays;

    Message[] private _messages;

    function start() external {
        super.setUp();
        for (uint256 operator = 0; operator < OPERATORS; operator++) license.mint(node(operator), operator % 3 + 1);
    }

    function defaultRules() internal pure override returns (ISettings.Rules memory rules) {
        rules = super.defaultRules();
        (rules.dayLength, rules.minOnline, rules.reportWindow, rules.commissionInterval) = (1 hours, 1 minutes, 20 minutes, 30 minutes);
        (rules.maxActiveNodes, rules.maxChosenNodes, rules.maxDelegations) = (4, 3, 3);
    }

    // Licenses

    function mint(uint256 operator, uint256 count) external {
        if (license.minted() < LICENSES_MOST) license.mint(node(operator % OPERATORS), count % 3 + 1);
    }

    function transfer(uint256 tokenID, uint256 to) external {
        address from = license.ownerOf(token_(tokenID));
        act("transfer", from, address(license), abi.encodeCall(license.transferFrom, (from, node(to % OPERATORS), token_(tokenID))));
    }

    function delegate(uint256 tokenID, uint256 to) external {
        byHolder("delegate", tokenID, abi.encodeCall(service.delegate, (token_(tokenID), node(to % OPERATORS))));
    }

    function redelegate(uint256 tokenID, uint256 to) external {
        byHolder("redelegate", tokenID, abi.encodeCall(service.redelegate, (token_(tokenID), node(to % OPERATORS))));
    }

    function undelegate(uint256 tokenID) external {
        byHolder("undelegate", tokenID, abi.encodeCall(service.undelegate, (token_(tokenID))));
    }

    // Nodes

    function enterNode(uint256 operator, uint256 replaced) external {
        byNode("enter", operator, abi.encodeCall(service.nodeEnter, (node(replaced % OPERATORS))));
    }

    function exitNode(uint256 operator) external {
        byNode("exit", operator, abi.encodeCall(service.nodeExit, ()));
    }

    function setCommission(uint256 operator, uint32 rate) external {
        byNode("commission", operator, abi.encodeCall(service.nodeModifyCommissionRate, (rate % 1_200)));
    }

    /// @dev A new message, or one of the old ones once more.
    function sendSigned(uint256 seed, uint256 operator, bool isExit) external {
        if (seed % 3 != 0 || _messages.length == 0) {
            uint256 expiredAt = block.timestamp + seed % 6 hours;
            bytes32 message = isExit ? Signing.exit(expiredAt) : Signing.enter(address(0), expiredAt);
            _messages.push(Message(operator % OPERATORS, isExit, expiredAt, signed(operator % OPERATORS, message)));
        }
        Message memory m = _messages[seed % 3 != 0 ? _messages.length - 1 : seed % _messages.length];
        bytes32 digest = Signing.digest(domain(), m.isExit ? Signing.exit(m.expiredAt) : Signing.enter(address(0), m.expiredAt));
        bool used = service.usedDigest(digest, node(m.operator));
        if (used) replays++;
        Signing.Signature memory s = m.signature;
        bytes memory call_ = m.isExit
            ? abi.encodeCall(service.nodeExitWithSignature, (m.expiredAt, node(m.operator), s.v, s.r, s.s))
            : abi.encodeCall(service.nodeEnterWithSignature, (address(0), m.expiredAt, node(m.operator), s.v, s.r, s.s));
        if (act("signed", address(this), address(service), call_) && used) scandal = "a message took effect twice";
    }

    // Reports

    function attest() external {
        bytes32 attestationID = openAttestation();
        seenAttestations.push(attestationID);
        done["attest"]++;
    }

    function reportAlone(uint256 which, uint256 operator, uint32 index, uint8 result) external {
        bytes32 attestationID = attestation_(which);
        bytes memory call_ = abi.encodeCall(service.nodeReportVerification, (attestationID, index % 4, result % 4));
        if (byNode("report", operator, call_)) noteVote(attestationID, node(operator % OPERATORS));
    }

    /// @dev Everyone at every place: most entries are to be skipped.
    function reportTogether(uint256 which, uint8 result) external {
        bytes32 attestationID = attestation_(which);
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](OPERATORS * 3);
        for (uint256 i = 0; i < infos.length; i++) {
            infos[i] = Signing.info(key(i / 3), domain(), attestationID, result % 3, uint32(i % 3));
        }
        bool[] memory before = votesNow(attestationID);
        if (!act("batch", address(this), address(service), abi.encodeCall(service.nodeReportVerificationBatch, (attestationID, infos)))) return;
        bool[] memory later = votesNow(attestationID);
        for (uint256 i = 0; i < OPERATORS; i++) if (later[i] && !before[i]) noteVote(attestationID, node(i));
    }

    /// @dev Mostly of who was chosen, sometimes of someone else.
    function slash(uint256 which, uint256 operator, uint32 index) external {
        bytes32 attestationID = attestation_(which);
        uint32[] memory chosen = chosenOf(attestationID);
        bool aimed = chosen.length != 0 && operator % 8 != 0;
        address target = aimed ? service.nodeAddrByID(chosen[index % chosen.length]) : node(operator % OPERATORS);
        bytes memory call_ = abi.encodeCall(service.nodeSlash, (target, attestationID, aimed ? index % uint32(chosen.length) : index % 3));
        act("slash", address(this), address(service), call_);
    }

    // Rewards

    function dailyActive(uint256 operator) external {
        bytes memory call_ = abi.encodeCall(service.nodeReportDailyActive, (node(operator % OPERATORS)));
        act("active", address(this), address(service), call_);
    }

    function confirm(uint256 operator) external {
        act("confirm", address(this), address(service), abi.encodeCall(service.confirmNodeRewards, (node(operator % OPERATORS))));
    }

    function claimNode(uint256 operator) external {
        byNode("claim node", operator, abi.encodeCall(service.nodeClaim, (node(operator % OPERATORS))));
    }

    function claimLicense(uint256 tokenID) external {
        byHolder("claim license", tokenID, abi.encodeCall(service.claimRewards, (token_(tokenID))));
    }

    function releaseDay(uint256 which) external {
        if (seenDays.length == 0) return;
        act("release", address(this), address(service), abi.encodeCall(service.releaseDay, (seenDays[which % seenDays.length])));
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + time % 40 minutes);
    }

    // For the invariants

    function deployment() external view returns (IVerifierService, address, address, address) {
        return (service, address(license), address(pool), address(token));
    }

    /// @notice All operators; asked for once, since deriving an address takes longer than most calls.
    function nodes() external pure returns (address[] memory list) {
        list = new address[](OPERATORS);
        for (uint256 operator = 0; operator < OPERATORS; operator++) list[operator] = node(operator);
    }

    function attestationCount() external view returns (uint256) {
        return seenAttestations.length;
    }

    function dayCount() external view returns (uint256) {
        return seenDays.length;
    }

    // Steps

    function token_(uint256 seed) private view returns (uint256) {
        return seed % license.minted() + 1;
    }

    function attestation_(uint256 seed) private view returns (bytes32) {
        return seenAttestations.length == 0 ? bytes32(0) : seenAttestations[seed % seenAttestations.length];
    }

    function byNode(string memory action, uint256 operator, bytes memory call_) private returns (bool) {
        return act(action, node(operator % OPERATORS), address(service), call_);
    }

    function byHolder(string memory action, uint256 tokenID, bytes memory call_) private returns (bool) {
        return act(action, license.ownerOf(token_(tokenID)), address(service), call_);
    }

    /// @dev A refusal has to be one of the service's own texts; a panic is a scandal.
    function act(string memory action, address by, address target, bytes memory call_) private returns (bool succeeded) {
        bytes memory answer;
        vm.prank(by);
        (succeeded, answer) = target.call(call_);
        if (succeeded) {
            done[action]++;
            noteDay();
        } else if (bytes4(answer) != bytes4(keccak256("Error(string)"))) scandal = string.concat(action, " failed without a reason");
    }

    /// @dev A day is opened by the first node that reports it, or that leaves the set after its hours.
    function noteDay() private {
        uint32 today = service.currentDate();
        if (seenDays.length != 0 && seenDays[seenDays.length - 1] == today) return;
        (uint128 pot, uint64 weight) = service.dayInfo(today);
        if (pot != 0 || weight != 0) seenDays.push(today);
    }

    function votesNow(bytes32 attestationID) private view returns (bool[] memory list) {
        list = new bool[](OPERATORS);
        for (uint256 i = 0; i < OPERATORS; i++) list[i] = service.attestationVerifiedNode(attestationID, node(i));
    }

    function noteVote(bytes32 attestationID, address of_) private {
        if (voted[attestationID][of_]) scandal = "a report counted twice";
        voted[attestationID][of_] = true;
        votes[attestationID]++;
    }
}
