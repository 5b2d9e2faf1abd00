// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title Views and events of the upstream service that its tools read.
contract UpstreamViewsTest is Harness {
    function setUp() public override {
        super.setUp();
        vm.warp((block.timestamp / 1 days + 1) * 1 days);
    }

    function nextDay() private {
        vm.warp((block.timestamp / 1 days + 1) * 1 days + 7 hours);
    }

    function test_today_has_a_number_and_an_offset() public {
        vm.assertEq(service.todayOffset(), 0);
        uint32 today = service.todayIndex();
        vm.assertEq(today, service.currentDate());
        vm.warp(block.timestamp + 1 days - 1);
        vm.assertEq(service.todayOffset(), 1 days - 1);
        vm.assertEq(service.todayIndex(), today);
        vm.warp(block.timestamp + 1);
        vm.assertEq(service.todayIndex(), today + 1);
    }

    function test_a_node_outside_the_set_has_the_last_place() public {
        vm.assertEq(info(node(0)).listIndex, type(uint32).max);
        enter(0, 1);
        vm.assertEq(info(node(0)).listIndex, 0);
        vm.prank(node(0));
        service.nodeExit();
        vm.assertEq(info(node(0)).listIndex, type(uint32).max);
    }

    function assertDay(uint32 date, uint256 first, uint256 second) private view {
        vm.assertEq(service.nodeDailyActive(node(0), date), first);
        vm.assertEq(service.nodeDailyActive(node(1), date), second);
        vm.assertEq(service.globalDailyActiveNodes(date), first + second);
    }

    function test_credited_weights_are_told_on_the_day_and_ever_after() public {
        enter(0, 2);
        enter(1, 3);
        uint32[20] memory dates;
        for (uint256 i = 0; i < dates.length; i++) {
            nextDay();
            dates[i] = service.todayIndex();
            assertDay(dates[i], 0, 0);
            service.nodeReportDailyActive(node(0));
            assertDay(dates[i], 2, 0);
            // Node 1 misses every third day.
            if (i % 3 != 0) service.nodeReportDailyActive(node(1));
            assertDay(dates[i], 2, i % 3 == 0 ? 0 : 3);
        }
        nextDay();
        service.confirmNodeRewards(node(0));
        service.confirmNodeRewards(node(1));
        for (uint256 i = 0; i < dates.length; i++) assertDay(dates[i], 2, i % 3 == 0 ? 0 : 3);
        assertDay(service.todayIndex(), 0, 0);
    }

    function test_a_license_that_leaves_takes_its_weight_out_of_the_day() public {
        enter(0, 2);
        nextDay();
        service.nodeReportDailyActive(node(0));
        uint32 date = service.todayIndex();
        vm.prank(node(0));
        service.delegate(1, node(1));
        assertDay(date, 1, 0);
        nextDay();
        // A move after the day changes the day no more.
        vm.prank(node(0));
        service.delegate(2, node(1));
        assertDay(date, 1, 0);
    }

    function assertRewards(uint256 tokenID, uint256 initial, uint256 total, uint256 claimed) private view {
        (uint256 initial_, uint256 total_, uint256 claimed_) = service.tokenRewardInfos(tokenID);
        vm.assertEq(initial_, initial, "initial");
        vm.assertEq(total_, total, "total");
        vm.assertEq(claimed_, claimed, "claimed");
        vm.assertTrue(service.checkClaimed(tokenID) == (total != 0));
    }

    function test_a_license_has_totals() public {
        enter(0, 1);
        assertRewards(1, 0, 0, 0);
        for (uint256 day = 1; day <= 2; day++) {
            nextDay();
            service.nodeReportDailyActive(node(0));
            nextDay();
            vm.prank(node(0));
            service.claimRewards(1);
            assertRewards(1, day * DAILY_REWARD, day * DAILY_REWARD, day * DAILY_REWARD);
        }
        service.nodeReportDailyActive(node(0));
        nextDay();
        vm.prank(node(0));
        service.delegate(1, node(1));
        // Counted, not paid; node 1 earned nothing before.
        assertRewards(1, 0, uint256(3) * DAILY_REWARD, uint256(2) * DAILY_REWARD);
    }

    function test_a_settled_day_is_told_with_totals() public {
        enter(0, 1);
        vm.prank(node(0));
        service.nodeModifyCommissionRate(500);
        for (uint256 day = 1; day <= 2; day++) {
            nextDay();
            service.nodeReportDailyActive(node(0));
            nextDay();
            vm.expectEmit(address(service));
            emit IVerifierService.NodeConfirmReward(node(0), int256(day * DAILY_REWARD / 20), (day * DAILY_REWARD * 19) / 20);
            service.confirmNodeRewards(node(0));
        }
    }

    function test_a_slashed_node_is_told_by_attestation() public {
        enterMany(2);
        bytes32 attestationID = openAttestation();
        bytes32 other = openAttestation();
        passDeadline(other);
        service.nodeSlash(node(1), attestationID, indexOf(attestationID, node(1)));
        vm.assertTrue(service.nodeSlashed(node(1), attestationID));
        vm.assertFalse(service.nodeSlashed(node(0), attestationID));
        vm.assertFalse(service.nodeSlashed(node(1), other));
        vm.assertFalse(service.nodeSlashed(node(9), attestationID));
    }
}
