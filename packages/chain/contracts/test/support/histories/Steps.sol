// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../../../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../../../solidity/interfaces/IVerifierService.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";
import {Ledger} from "./Ledger.sol";

/// @title What the actions of a history are made of.
/// @dev A call that is refused is discarded by `vm.assume`, so that forge counts only what took effect. Days and deadlines are
/// short and the active set is smaller than the crowd, so that everything happens often.
abstract contract Steps is Ledger {
    uint256 public constant OPERATORS = 8;
    uint256 private constant RECENT = 6;

    struct Message {
        uint256 operator;
        bool isExit;
        uint256 expiredAt;
        Signing.Signature signature;
    }

    address[OPERATORS] internal _nodes;
    mapping(address node => uint256) internal operatorOf;
    uint256 internal _steps;
    Message[] internal _used;

    function start() external {
        super.setUp();
        for (uint256 operator = 0; operator < OPERATORS; operator++) {
            _nodes[operator] = node(operator);
            operatorOf[_nodes[operator]] = operator;
            vm.recordLogs();
            license.mint(_nodes[operator], operator % 3 + 1);
            note(vm.getRecordedLogs());
        }
    }

    function defaultRules() internal pure override returns (ISettings.Rules memory rules) {
        rules = super.defaultRules();
        (rules.dayLength, rules.minOnline, rules.reportWindow, rules.commissionInterval) = (1 hours, 5 minutes, 20 minutes, 30 minutes);
        (rules.maxActiveNodes, rules.maxChosenNodes, rules.maxDelegations) = (4, 3, 3);
    }

    function defaultVerdictRules() internal pure override returns (ISettings.VerdictRules memory) {
        return ISettings.VerdictRules({quorum: 5_000, randomnessRetry: 5 minutes, selectionPeriod: 40 minutes, slashDelay: 15 minutes});
    }

    /// @notice Ends the day, lets everyone have everything, and gives back the days of which nobody can claim.
    function settleEverything() external {
        pass(2 hours);
        for (uint256 i = 0; i < OPERATORS; i++) take(address(this), abi.encodeCall(service.confirmNodeRewards, (_nodes[i])));
        for (uint256 i = 0; i < OPERATORS; i++) take(_nodes[i], abi.encodeCall(service.nodeClaim, (_nodes[i])));
        for (uint256 id = 1; id <= license.minted(); id++) take(holderOf[id], abi.encodeCall(service.claimRewards, (id)));
        for (uint256 i = 0; i < creditedDays.length; i++) take(address(this), abi.encodeCall(service.releaseDay, (creditedDays[i])));
    }

    // For the invariants

    function deployment() external view returns (IVerifierService, address, address, address) {
        return (service, address(license), address(pool), address(token));
    }

    function nodes() external view returns (address[OPERATORS] memory) {
        return _nodes;
    }

    function attestationCount() external view returns (uint256) {
        return seenAttestations.length;
    }

    function dayCount() external view returns (uint256) {
        return creditedDays.length;
    }

    // Steps

    /// @dev Mixed, since forge repeats and favours some numbers.
    function pick(uint256 seed, uint256 count) internal returns (uint256) {
        return uint256(keccak256(abi.encode(seed, _steps++))) % count;
    }

    function operator_(uint256 seed) internal returns (address) {
        return _nodes[pick(seed, OPERATORS)];
    }

    /// @dev From here on, the first that fits is taken, from a random one on; where none does, the call will be refused.
    function token_(uint256 seed, bool isDelegated) internal returns (uint256 tokenID) {
        uint256 count = license.minted();
        tokenID = pick(seed, count) + 1;
        for (uint256 i = 0; i < count && delegated[tokenID] != isDelegated; i++) tokenID = tokenID % count + 1;
    }

    function node_(uint256 seed, bool isActive) internal returns (address) {
        uint256 operator = pick(seed, OPERATORS);
        for (uint256 i = 0; i < OPERATORS; i++) {
            if ((activeSince[_nodes[operator]] != 0) == isActive && weightOf[_nodes[operator]] != 0) break;
            operator = (operator + 1) % OPERATORS;
        }
        return _nodes[operator];
    }

    /// @dev A place of the chosen list of one of the last attestations, whose node still has to vote or can be slashed.
    function place_(uint256 seed, bool isOpen) internal returns (bytes32 attestationID, uint32 index, address chosen) {
        uint256 count = seenAttestations.length;
        vm.assume(count != 0);
        uint256 recent = count < RECENT ? count : RECENT;
        uint256 first = pick(seed, recent);
        for (uint256 i = 0; i < recent; i++) {
            attestationID = seenAttestations[count - 1 - (first + i) % recent];
            Case storage case_ = _cases[attestationID];
            if (case_.chosen.length == 0 || (block.timestamp <= case_.deadline) != isOpen) continue;
            index = uint32(pick(seed, case_.chosen.length));
            chosen = nodeOf[case_.chosen[index]];
            if (_awaits(attestationID, chosen)) return (attestationID, index, chosen);
        }
        vm.assume(chosen != address(0));
    }

    /// @dev A place whose vote contradicts the verdict, and that nobody accused yet.
    function contradicting_(uint256 seed) internal returns (bytes32 attestationID, uint32 index) {
        uint256 count = seenAttestations.length;
        vm.assume(count != 0);
        for (uint256 i = 0; i < RECENT; i++) {
            attestationID = recent_(seed);
            Case storage case_ = _cases[attestationID];
            uint256 state = uint256(stateOf(attestationID));
            if (state < uint256(IVerifierService.AttestationState.Valid) || state > uint256(IVerifierService.AttestationState.Malicious)) continue;
            for (index = 0; index < case_.chosen.length; index++) {
                address node = nodeOf[case_.chosen[index]];
                uint256 vote = voteOf[attestationID][node];
                bool agrees = vote == state + 1 - uint256(IVerifierService.AttestationState.Valid);
                if (vote != 0 && !agrees && _accusations[attestationID][node].executableAt == 0) return (attestationID, index);
            }
        }
        return (attestationID, uint32(pick(seed, 3)));
    }

    function recent_(uint256 seed) internal returns (bytes32) {
        uint256 count = seenAttestations.length;
        return seenAttestations[count - 1 - pick(seed, count < RECENT ? count : RECENT)];
    }

    function accused_(uint256 seed) internal returns (Accused memory) {
        uint256 count = _accused.length;
        vm.assume(count != 0);
        return _accused[count - 1 - pick(seed, count < RECENT ? count : RECENT)];
    }

    function potOf(uint32 date) internal view returns (uint256 pot) {
        (pot,) = service.dayInfo(date);
    }

    function callOf(Message memory m) internal view returns (bytes memory) {
        (address signer, Signing.Signature memory s) = (_nodes[m.operator], m.signature);
        return m.isExit
            ? abi.encodeCall(service.nodeExitWithSignature, (m.expiredAt, signer, s.v, s.r, s.s))
            : abi.encodeCall(service.nodeEnterWithSignature, (address(0), m.expiredAt, signer, s.v, s.r, s.s));
    }

    function pass(uint256 time) internal {
        if ((block.timestamp + time) / defaultRules().dayLength != _today()) closeDay();
        vm.warp(block.timestamp + time);
    }

    function act(address by, address target, bytes memory call_) internal {
        (bool succeeded, bytes memory answer) = send(by, target, call_);
        require(succeeded || (answer.length != 0 && bytes4(answer) != bytes4(keccak256("Panic(uint256)"))), "failed without a reason");
        vm.assume(succeeded);
    }

    function take(address by, bytes memory call_) internal {
        send(by, address(service), call_);
    }

    function send(address by, address target, bytes memory call_) internal returns (bool succeeded, bytes memory answer) {
        vm.recordLogs();
        vm.prank(by);
        (succeeded, answer) = target.call(call_);
        note(vm.getRecordedLogs());
    }
}
