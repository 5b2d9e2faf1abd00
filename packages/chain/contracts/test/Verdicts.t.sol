// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title Which votes make a verdict, and how an attestation ends without one.
contract VerdictsTest is Harness {
    function test_one_vote_of_four_chosen_is_no_verdict_and_an_event_says_so() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        assertVerdict(attestationID, false, 0);
        concludes(attestationID, IVerifierService.AttestationState.NoVerdict, 1, 3);
    }

    function test_half_of_the_chosen_is_below_the_quorum_and_one_more_reaches_it() public {
        enterMany(4);
        bytes32 half = openAttestation();
        bytes32 more = openAttestation();
        for (uint256 operator = 0; operator < 3; operator++) {
            if (operator < 2) report(node(operator), half, 1);
            report(node(operator), more, 1);
        }
        passDeadline(more);
        assertVerdict(half, false, 0);
        assertVerdict(more, true, 1);
        concludes(half, IVerifierService.AttestationState.NoVerdict, 2, 3);
        concludes(more, IVerifierService.AttestationState.Invalid, 3, 3);
    }

    /// Against a count of its own: the verdict that follows from votes, quorum and the number of the chosen.
    function testFuzz_a_verdict_needs_the_quorum_and_a_majority(uint8 nodes, uint16 quorum, uint256 votes) public {
        ISettings.VerdictRules memory rules = defaultVerdictRules();
        rules.quorum = quorum % 9_999 + 1;
        settings.setVerdictRules(rules);
        uint256 chosen = uint256(nodes) % 12 + 1;
        enterMany(chosen);
        bytes32 attestationID = openAttestation();
        uint256[4] memory counts;
        for (uint256 operator = 0; operator < chosen; operator++) {
            uint8 vote = uint8((votes >> (operator * 2)) & 3);
            counts[vote]++;
            if (vote < 3) report(node(operator), attestationID, vote);
        }
        passDeadline(attestationID);
        uint256 cast = chosen - counts[3];
        (bool decided, uint8 result) = service.verdict(attestationID);
        bool reached = cast * 10_000 > chosen * rules.quorum;
        bool expected = reached && (counts[0] * 2 > cast || counts[1] * 2 > cast || counts[2] * 2 > cast);
        vm.assertEq(decided ? 1 : 0, expected ? 1 : 0);
        if (decided) vm.assertTrue(counts[result] * 2 > cast);
        vm.assertTrue(service.attestationState(attestationID) >= IVerifierService.AttestationState.Valid);
    }

    function test_an_attestation_is_concluded_once_and_not_before_its_deadline() public {
        enterMany(1);
        expectReason("Attestation not exist");
        service.concludeAttestation(keccak256("unknown"));
        bytes32 attestationID = reportAttestation();
        expectReason("Waiting vrf");
        service.concludeAttestation(attestationID);
        randomness.fulfill(1);
        report(node(0), attestationID, 0);
        vm.warp(service.attestations(attestationID).deadline);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Open);
        expectReason("Deadline not passed");
        service.concludeAttestation(attestationID);
        vm.warp(block.timestamp + 1);
        concludes(attestationID, IVerifierService.AttestationState.Valid, 1, 1);
        vm.recordLogs();
        service.concludeAttestation(attestationID);
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_a_changed_quorum_leaves_chosen_attestations_alone() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        ISettings.VerdictRules memory rules = defaultVerdictRules();
        rules.quorum = 1;
        settings.setVerdictRules(rules);
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        assertVerdict(attestationID, false, 0);
        vm.assertEq(service.votesNeeded(attestationID), 3);
    }

    function test_a_missed_report_that_is_slashed_says_how_the_attestation_ended() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        vm.expectEmit(address(service));
        emit IVerifierService.AttestationConcluded(attestationID, IVerifierService.AttestationState.NoVerdict, 1, 3);
        service.nodeSlash(node(1), attestationID, indexOf(attestationID, node(1)));
        vm.recordLogs();
        service.nodeSlash(node(2), attestationID, indexOf(attestationID, node(2)));
        vm.assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_nobody_chosen_is_no_verdict() public {
        bytes32 attestationID = openAttestation();
        passDeadline(attestationID);
        concludes(attestationID, IVerifierService.AttestationState.NoVerdict, 0, 1);
    }

    // A vote against the verdict is slashed by the slasher contract alone; DisputableSlasher.t.sol tests who has it do so, and when.

    /// @dev Node 3 of four votes against the verdict of the others.
    function contradict() private returns (bytes32 attestationID, uint32 index) {
        enterMany(4);
        attestationID = openAttestation();
        for (uint256 operator = 0; operator < 3; operator++) report(node(operator), attestationID, 2);
        report(node(3), attestationID, 0);
        passDeadline(attestationID);
        index = indexOf(attestationID, node(3));
    }

    function test_nobody_but_the_slasher_slashes_a_vote_against_the_verdict() public {
        (bytes32 attestationID, uint32 index) = contradict();
        address[4] memory callers = [address(this), node(90), SLASHER, ARBITER];
        for (uint256 i = 0; i < callers.length; i++) {
            expectReason("Not slasher");
            vm.prank(callers[i]);
            service.nodeSlash(node(3), attestationID, index);
        }
        vm.assertEq(info(node(3)).missed, 0);
    }
}
