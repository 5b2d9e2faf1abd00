// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title Which days a node is credited, and which of them a license earns.
contract CreditedDaysTest is Harness {
    address private attacker;

    function setUp() public override {
        super.setUp();
        attacker = node(90);
        vm.warp((block.timestamp / 1 days + 1) * 1 days);
    }

    // A day in which a node was active for long enough is credited, however the node leaves.

    function test_a_node_that_exits_after_its_hours_earns_the_day() public {
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeDailyActive(node(0), service.currentDate());
        vm.prank(node(0));
        service.nodeExit();
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(1), DAILY_REWARD);
    }

    function test_a_node_that_is_replaced_after_its_hours_earns_the_day() public {
        deploySmallSet();
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours);
        license.mint(node(1), 2);
        vm.prank(node(1));
        service.nodeEnter(node(0));
        vm.assertFalse(info(node(0)).active);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(1), DAILY_REWARD);
    }

    function test_a_node_that_leaves_before_its_hours_or_a_second_time_earns_nothing_more() public {
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours - 1);
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        vm.warp(block.timestamp + 6 hours);
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        vm.warp(block.timestamp + 6 hours);
        vm.warp((block.timestamp / 1 days + 1) * 1 days + 6 hours - 1);
        vm.prank(node(0));
        service.nodeExit();
        vm.assertEq(pool.reserved(), DAILY_REWARD);
    }

    // A license earns a day only with the hours that a node needs.

    /// @dev Node 0 is active with license 1; license 2 is the attacker's, and comes so many seconds before the day's end.
    function delegateBeforeDayEnds(uint256 left, bool creditedBefore) private {
        enter(0, 1);
        license.mint(attacker, 1);
        if (creditedBefore) {
            vm.warp(block.timestamp + 6 hours);
            service.nodeReportDailyActive(node(0));
        }
        vm.warp((block.timestamp / 1 days + 1) * 1 days - left);
        vm.prank(attacker);
        service.delegate(2, node(0));
        if (!creditedBefore) service.nodeReportDailyActive(node(0));
    }

    function test_a_license_that_comes_in_the_last_second_does_not_earn_the_day() public {
        delegateBeforeDayEnds(1, true);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(2), 0);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
    }

    function test_a_license_that_comes_in_the_last_second_before_the_credit_does_not_earn_the_day() public {
        delegateBeforeDayEnds(1, false);
        vm.assertEq(service.globalDailyActiveNodes(service.currentDate()), 1);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(2), 0);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
    }

    function test_a_license_earns_the_day_that_leaves_it_the_hours_and_every_later_day() public {
        uint256 start = vm.snapshotState();
        delegateBeforeDayEnds(6 hours, true);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(2), DAILY_REWARD / 2);
        vm.revertToState(start);
        delegateBeforeDayEnds(6 hours - 1, true);
        vm.warp(block.timestamp + 12 hours);
        service.nodeReportDailyActive(node(0));
        vm.assertEq(claimed(2), 0);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(2), DAILY_REWARD / 2);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD + DAILY_REWARD / 2);
    }

    function test_a_late_license_that_leaves_again_takes_nothing_from_the_day() public {
        delegateBeforeDayEnds(2, true);
        vm.warp(block.timestamp + 1);
        vm.prank(attacker);
        service.redelegate(2, node(1));
        vm.assertEq(service.nodeDailyActive(node(0), service.currentDate()), 1);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(1), DAILY_REWARD);
        vm.assertEq(service.claimableRewards(2), 0);
        vm.prank(node(0));
        service.claimRewards(1);
        vm.assertEq(pool.reserved(), 0);
    }

    function claimed(uint256 tokenID) private returns (uint256) {
        service.confirmNodeRewards(node(0));
        return service.claimableRewards(tokenID);
    }

    function deploySmallSet() private {
        ISettings.Rules memory rules = defaultRules();
        rules.maxActiveNodes = 1;
        deploy(rules);
    }
}
