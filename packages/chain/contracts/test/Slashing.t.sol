// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

contract SlashingTest is Harness {
    bytes32 private attestationID;

    function setUp() public override {
        super.setUp();
        enterMany(4);
        vm.warp(block.timestamp + 1);
        attestationID = openAttestation();
    }

    function slash(uint256 operator) private {
        service.nodeSlash(node(operator), attestationID, indexOf(attestationID, node(operator)));
    }

    function refused(uint256 operator, bytes32 id, uint32 index, string memory reason) private {
        expectReason(reason);
        service.nodeSlash(node(operator), id, index);
    }

    function nextAttestation() private {
        attestationID = openAttestation();
        passDeadline(attestationID);
    }

    function test_slashing_waits_for_the_deadline() public {
        refused(0, keccak256("unknown"), 0, "Attestation not exist");
        refused(0, reportAttestation(), 0, "Waiting vrf");
        uint32 index = indexOf(attestationID, node(0));
        refused(0, attestationID, index, "Deadline not passed");
        vm.warp(service.attestations(attestationID).deadline);
        refused(0, attestationID, index, "Deadline not passed");
        vm.warp(block.timestamp + 1);
        slash(0);
    }

    function test_only_who_was_chosen_is_slashed_and_once() public {
        passDeadline(attestationID);
        uint32 index = indexOf(attestationID, node(0));
        refused(1, attestationID, index, "Not chosen");
        refused(1, attestationID, 4, "Not chosen");
        slash(0);
        refused(0, attestationID, index, "Already slash");
        vm.assertEq(info(node(0)).missed, 1);
    }

    function test_the_second_missed_report_ends_the_membership() public {
        passDeadline(attestationID);
        slash(0);
        vm.assertTrue(info(node(0)).active);
        nextAttestation();
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(node(0));
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSlash(address(this), node(0), attestationID, 0);
        slash(0);
        vm.assertFalse(info(node(0)).active);
        vm.assertEq(info(node(0)).missed, 2);
        vm.assertEq(service.activeNodeCount(), 3);
    }

    function test_entering_again_forgets_missed_reports() public {
        passDeadline(attestationID);
        slash(0);
        nextAttestation();
        slash(0);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        vm.assertEq(info(node(0)).missed, 0);
        vm.warp(block.timestamp + 1);
        nextAttestation();
        slash(0);
        vm.assertTrue(info(node(0)).active);
    }

    function test_who_reported_with_the_majority_is_not_slashed() public {
        report(node(0), attestationID, 0);
        report(node(1), attestationID, 0);
        report(node(2), attestationID, 2);
        passDeadline(attestationID);
        uint32 index = indexOf(attestationID, node(0));
        refused(0, attestationID, index, "Not to be slashed");
        vm.assertEq(info(node(0)).missed, 0);
    }

    function test_the_slasher_is_named_once_by_the_owner() public {
        vm.assertEq(service.slasher(), address(slasher));
        expectReason("Slasher already set");
        service.setSlasher(address(this));
        IVerifierService fresh = deployService("verifierService", "1.0.1");
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", node(0)));
        vm.prank(node(0));
        fresh.setSlasher(node(0));
        vm.expectEmit(address(fresh));
        emit IVerifierService.SlasherSet(node(5));
        fresh.setSlasher(node(5));
    }

    function test_without_a_majority_nobody_who_reported_is_slashed() public {
        report(node(0), attestationID, 0);
        report(node(1), attestationID, 2);
        passDeadline(attestationID);
        refused(0, attestationID, indexOf(attestationID, node(0)), "Not to be slashed");
        refused(1, attestationID, indexOf(attestationID, node(1)), "Not to be slashed");
    }

    function earn(uint256 operator) private returns (uint256 earned) {
        uint256 day = block.timestamp / 1 days + 1;
        vm.warp(day * 1 days + 7 hours);
        service.nodeReportDailyActive(node(operator));
        vm.warp((day + 1) * 1 days);
        vm.prank(node(operator));
        service.nodeModifyCommissionRate(500);
        vm.warp((day + 8) * 1 days + 7 hours);
        service.nodeReportDailyActive(node(operator));
        vm.warp((day + 9) * 1 days);
        service.confirmNodeRewards(node(operator));
        return info(node(operator)).selfTotal - info(node(operator)).selfClaimed;
    }

    function test_a_slash_takes_from_unclaimed_rewards_and_gives_to_the_pool() public {
        uint256 earned = earn(0);
        vm.assertEq(earned, (DAILY_REWARD * 5) / 100);
        attestationID = openAttestation();
        passDeadline(attestationID);
        uint256 free = pool.available();
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSlash(address(this), node(0), attestationID, SLASH_AMOUNT);
        slash(0);
        vm.assertEq(pool.available(), free + SLASH_AMOUNT);
        vm.assertEq(info(node(0)).selfTotal - info(node(0)).selfClaimed, earned - SLASH_AMOUNT);
        vm.prank(node(0));
        service.nodeClaim(node(0));
        vm.assertEq(token.balanceOf(node(0)), earned - SLASH_AMOUNT);
    }

    function test_a_slash_settles_days_that_are_over_first() public {
        vm.prank(node(0));
        service.nodeModifyCommissionRate(500);
        vm.warp((block.timestamp / 1 days + 1) * 1 days + 7 hours);
        service.nodeReportDailyActive(node(0));
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(info(node(0)).selfTotal, 0);
        attestationID = openAttestation();
        passDeadline(attestationID);
        slash(0);
        vm.assertEq(info(node(0)).selfTotal, (DAILY_REWARD * 5) / 100);
        vm.assertEq(info(node(0)).selfClaimed, SLASH_AMOUNT);
    }

    function test_a_slash_takes_no_more_than_there_is() public {
        earn(0);
        settings.setAmounts(DAILY_REWARD, type(uint128).max);
        attestationID = openAttestation();
        passDeadline(attestationID);
        slash(0);
        vm.assertEq(info(node(0)).selfTotal, info(node(0)).selfClaimed);
    }
}
