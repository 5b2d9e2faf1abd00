// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title What somebody tries who has one license and wants more votes, and what a node must not lose by the moves of others.
contract ScenariosTest is Harness {
    address private attacker;

    function setUp() public override {
        super.setUp();
        attacker = node(90);
        vm.warp((block.timestamp / 1 days + 1) * 1 days);
    }

    function cleared(address of_) private {
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(of_);
    }

    function leftTheSet(address of_) private view {
        vm.assertFalse(info(of_).active);
        vm.assertEq(service.delegationWeights(of_), 0);
    }

    // A node without a license leaves the active set in the same step.

    function test_a_node_whose_license_is_undelegated_leaves_the_set() public {
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(1, node(0));
        enter(0, 0);
        cleared(node(0));
        vm.prank(attacker);
        service.undelegate(1);
        leftTheSet(node(0));
    }

    function test_a_node_whose_license_is_redelegated_leaves_the_set() public {
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(1, node(0));
        enter(0, 0);
        cleared(node(0));
        vm.prank(attacker);
        service.redelegate(1, node(1));
        leftTheSet(node(0));
        vm.assertEq(service.activeNodeCount(), 0);
    }

    function test_a_node_whose_held_license_is_transferred_leaves_the_set() public {
        enter(0, 1);
        enter(1, 1);
        cleared(node(0));
        vm.prank(node(0));
        license.transferFrom(node(0), attacker, 1);
        leftTheSet(node(0));
        vm.assertEq(info(node(1)).listIndex, 0);
    }

    function test_a_node_that_delegates_its_own_license_to_itself_stays() public {
        enter(0, 1);
        vm.prank(node(0));
        service.delegate(1, node(0));
        vm.assertTrue(info(node(0)).active);
        vm.prank(node(0));
        service.undelegate(1);
        vm.assertTrue(info(node(0)).active);
    }

    // One license backs one vote on an attestation.

    function test_one_license_that_hops_fills_no_active_set() public {
        enterInTurn(30);
        vm.assertEq(service.activeNodeCount(), 4);
    }

    /// Nine nodes enter in turn with the one license. During the window each of them tries to vote while it has the license.
    function test_one_license_that_hops_during_the_window_backs_one_vote() public {
        enterInTurn(19);
        bytes32 attestationID = openAttestation();
        uint32[] memory chosen = chosenOf(attestationID);
        // Only the last of the nine was in the active set when nodes were chosen; the others try every place of the list.
        for (uint256 operator = 10; operator < 18; operator++) {
            hopTo(operator);
            for (uint32 index = 0; index < chosen.length; index++) {
                expectReason("Not chosen");
                vm.prank(node(operator));
                service.nodeReportVerification(attestationID, index, 2);
            }
        }
        hopTo(18);
        report(node(18), attestationID, 2);
        for (uint256 operator = 0; operator < 3; operator++) report(node(operator), attestationID, 0);
        passDeadline(attestationID);
        vm.assertEq(service.attestations(attestationID).malicious, 1);
        (bool decided, uint8 result) = service.verdict(attestationID);
        vm.assertTrue(decided);
        vm.assertEq(result, 0);
    }

    /// @dev Three honest nodes, then the operators from 10 up to `end`, each with the attacker's one license.
    function enterInTurn(uint256 end) private {
        enterMany(3);
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(4, node(10));
        enter(10, 0);
        for (uint256 operator = 11; operator < end; operator++) {
            hopTo(operator);
            enter(operator, 0);
        }
    }

    function hopTo(uint256 operator) private {
        vm.prank(attacker);
        service.redelegate(4, node(operator));
    }

    // A delegator cannot take a chosen node's vote away, nor have it thrown out.

    function test_a_chosen_node_reports_although_its_license_went_during_the_window() public {
        enterMany(2);
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(3, node(5));
        enter(5, 0);
        bytes32 attestationID = openAttestation();
        vm.prank(attacker);
        service.undelegate(3);
        report(node(5), attestationID, 0);
        vm.assertEq(service.attestations(attestationID).valid, 1);
        passDeadline(attestationID);
        uint32 index = indexOf(attestationID, node(5));
        expectReason("Not to be slashed");
        service.nodeSlash(node(5), attestationID, index);
        vm.assertEq(info(node(5)).missed, 0);
    }

    // Leaving excuses no missed report.

    function test_a_chosen_node_that_exits_and_enters_again_has_missed_its_report() public {
        enterMany(2);
        bytes32 attestationID = openAttestation();
        uint32 index = indexOf(attestationID, node(0));
        vm.prank(node(0));
        service.nodeExit();
        vm.warp(block.timestamp + 1);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        passDeadline(attestationID);
        service.nodeSlash(node(0), attestationID, index);
        vm.assertEq(info(node(0)).missed, 1);
        bytes32 next = openAttestation();
        index = indexOf(next, node(0));
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        passDeadline(next);
        cleared(node(0));
        service.nodeSlash(node(0), next, index);
        vm.assertFalse(info(node(0)).active);
    }

    function test_a_chosen_node_that_left_for_good_is_still_slashed() public {
        enterMany(2);
        bytes32 attestationID = openAttestation();
        uint32 index = indexOf(attestationID, node(0));
        vm.prank(node(0));
        service.nodeExit();
        passDeadline(attestationID);
        service.nodeSlash(node(0), attestationID, index);
        vm.assertEq(info(node(0)).missed, 1);
    }
}
