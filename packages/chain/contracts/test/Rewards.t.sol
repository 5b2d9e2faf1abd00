// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

contract RewardsTest is Harness {
    function day() private view returns (uint256) {
        return block.timestamp / 1 days;
    }

    /// @dev Seven hours into the next day.
    function nextDay() private {
        vm.warp((day() + 1) * 1 days + 7 hours);
    }

    function active(uint256 operator) private {
        service.nodeReportDailyActive(node(operator));
    }

    function claim(uint256 operator, uint256 tokenID) private {
        vm.prank(node(operator));
        service.claimRewards(tokenID);
    }

    function setCommission(uint256 operator, uint32 rate) private {
        vm.prank(node(operator));
        service.nodeModifyCommissionRate(rate);
    }

    function test_six_hours_of_a_day_are_needed() public {
        vm.warp((day() + 1) * 1 days + 2 hours);
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours - 1);
        expectReason("Online time is too short");
        active(0);
        vm.warp(block.timestamp + 1);
        active(0);
        // Of a new day only its own hours count.
        vm.warp((day() + 1) * 1 days + 6 hours - 1);
        expectReason("Online time is too short");
        active(0);
        vm.warp(block.timestamp + 1);
        active(0);
    }

    function test_activity_is_reported_once_a_day_for_active_weighted_nodes() public {
        expectReason("Not active");
        active(0);
        enter(0, 1);
        nextDay();
        vm.expectEmit(address(service));
        emit IVerifierService.NodeDailyActive(node(0), uint32(day()));
        vm.prank(node(9));
        active(0);
        expectReason("Already report today");
        active(0);
        vm.prank(node(0));
        license.transferFrom(node(0), address(this), 1);
        nextDay();
        expectReason("Not active");
        active(0);
    }

    function test_the_reward_of_a_day_is_shared_by_weight() public {
        enter(0, 1);
        enter(1, 3);
        nextDay();
        active(0);
        active(1);
        vm.assertEq(pool.reserved(), DAILY_REWARD);
        nextDay();
        service.confirmNodeRewards(node(0));
        service.confirmNodeRewards(node(1));
        vm.assertEq(info(node(0)).delegationRewards, DAILY_REWARD / 4);
        vm.assertEq(info(node(1)).delegationRewards, DAILY_REWARD / 4);
        for (uint256 tokenID = 1; tokenID <= 4; tokenID++) {
            vm.assertEq(service.claimableRewards(tokenID), DAILY_REWARD / 4);
            claim(tokenID == 1 ? 0 : 1, tokenID);
        }
        vm.assertEq(token.balanceOf(node(0)), DAILY_REWARD / 4);
        vm.assertEq(token.balanceOf(node(1)), (DAILY_REWARD * 3) / 4);
        vm.assertEq(pool.reserved(), 0);
    }

    function test_a_day_is_not_settled_before_it_is_over() public {
        enter(0, 1);
        nextDay();
        active(0);
        uint32 date = service.currentDate();
        service.confirmNodeRewards(node(0));
        vm.assertEq(info(node(0)).lastConfirmDate, 0);
        nextDay();
        vm.expectEmit(address(service));
        emit IVerifierService.NodeConfirmReward(node(0), 0, DAILY_REWARD);
        service.confirmNodeRewards(node(0));
        vm.assertEq(info(node(0)).lastConfirmDate, date);
        service.confirmNodeRewards(node(0));
        vm.assertEq(info(node(0)).delegationRewards, DAILY_REWARD);
    }

    function test_the_commission_goes_to_the_claimer() public {
        enter(0, 2);
        setCommission(0, 500);
        vm.prank(node(0));
        service.nodeSetRewardClaimer(address(0xC1A1));
        nextDay();
        active(0);
        nextDay();
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClaim(node(0), address(0xC1A1), DAILY_REWARD / 20);
        vm.prank(address(0xC1A1));
        service.nodeClaim(node(0));
        vm.assertEq(token.balanceOf(address(0xC1A1)), DAILY_REWARD / 20);
        vm.assertEq(service.claimableRewards(1), (DAILY_REWARD * 19) / 40);
    }

    function test_a_changed_commission_counts_from_the_next_unsettled_day() public {
        enter(0, 1);
        nextDay();
        active(0);
        nextDay();
        setCommission(0, 500);
        service.confirmNodeRewards(node(0));
        vm.assertEq(info(node(0)).selfTotal, 0);
        vm.assertEq(info(node(0)).delegationRewards, DAILY_REWARD);
    }

    function test_what_cannot_be_divided_stays_with_the_node() public {
        settings.setAmounts(1_000, 0);
        enter(0, 3);
        nextDay();
        active(0);
        nextDay();
        service.confirmNodeRewards(node(0));
        vm.assertEq(info(node(0)).delegationRewards, 333);
        vm.assertEq(info(node(0)).selfTotal, 1);
    }

    function test_only_node_and_claimer_claim() public {
        enter(0, 1);
        expectReason("Not claimer");
        service.nodeClaim(node(0));
        expectReason("No rewards");
        vm.prank(node(0));
        service.nodeClaim(node(0));
        expectReason("Not token owner");
        service.claimRewards(1);
        expectReason("No rewards");
        claim(0, 1);
    }

    function test_rewards_are_paid_once() public {
        enter(0, 1);
        nextDay();
        active(0);
        nextDay();
        vm.expectEmit(address(service));
        emit IVerifierService.ClaimRewards(1, node(0), DAILY_REWARD);
        claim(0, 1);
        expectReason("No rewards");
        claim(0, 1);
        vm.assertEq(token.balanceOf(node(0)), DAILY_REWARD);
    }

    function test_a_license_earns_with_the_node_that_it_counts_for_when_the_day_ends() public {
        enter(0, 1);
        enter(1, 1);
        license.mint(node(5), 1);
        vm.prank(node(5));
        service.delegate(3, node(0));
        nextDay();
        active(0);
        active(1);
        // Two of three shares are with node 0; now the third license goes to node 1.
        vm.prank(node(5));
        service.redelegate(3, node(1));
        nextDay();
        service.confirmNodeRewards(node(0));
        service.confirmNodeRewards(node(1));
        vm.assertEq(info(node(0)).delegationRewards, DAILY_REWARD / 3);
        vm.assertEq(service.claimableRewards(3), info(node(1)).delegationRewards);
        vm.assertLe(info(node(1)).delegationRewards - DAILY_REWARD / 3, 1);
    }

    function test_moving_a_license_takes_what_it_earned_along() public {
        enter(0, 1);
        nextDay();
        active(0);
        nextDay();
        vm.prank(node(0));
        license.transferFrom(node(0), node(1), 1);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
        nextDay();
        claim(1, 1);
        vm.assertEq(token.balanceOf(node(1)), DAILY_REWARD);
    }

    function test_a_license_does_not_share_in_days_before_it_came() public {
        enter(0, 1);
        nextDay();
        active(0);
        nextDay();
        license.mint(node(0), 1);
        vm.assertEq(service.claimableRewards(2), 0);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
    }

    function test_the_pool_promises_no_more_than_it_holds() public {
        settings.setAmounts(uint128(POOL * 2 / 3), 0);
        enter(0, 1);
        nextDay();
        active(0);
        nextDay();
        active(0);
        vm.assertEq(pool.reserved(), POOL);
        vm.assertEq(pool.available(), 0);
        nextDay();
        active(0);
        nextDay();
        claim(0, 1);
        vm.assertEq(token.balanceOf(node(0)), POOL);
        vm.assertEq(token.balanceOf(address(pool)), 0);
    }

    function test_a_day_that_nobody_can_claim_goes_back_to_the_pool() public {
        enter(0, 1);
        nextDay();
        active(0);
        uint32 date = service.currentDate();
        vm.prank(node(0));
        license.transferFrom(node(0), address(this), 1);
        expectReason("Day is not over");
        service.releaseDay(date);
        nextDay();
        (uint128 pot, uint64 weight) = service.dayInfo(date);
        vm.assertEq(pot, DAILY_REWARD);
        vm.assertEq(weight, 0);
        service.releaseDay(date);
        vm.assertEq(pool.reserved(), 0);
        expectReason("No rewards");
        service.releaseDay(date);
    }

    function test_a_day_with_nodes_to_settle_is_not_released() public {
        enter(0, 1);
        nextDay();
        active(0);
        uint32 date = service.currentDate();
        nextDay();
        expectReason("No rewards");
        service.releaseDay(date);
    }

    function test_a_license_that_came_late_can_be_in_time_again_when_the_hours_become_fewer() public {
        enter(0, 1);
        enter(1, 1);
        license.mint(node(5), 1);
        vm.warp((day() + 1) * 1 days + 20 hours);
        vm.prank(node(5));
        service.delegate(3, node(0));
        ISettings.Rules memory rules = defaultRules();
        rules.minOnline = 1 hours;
        settings.setRules(rules);
        vm.prank(node(5));
        service.redelegate(3, node(1));
        active(1);
        vm.assertEq(service.globalDailyActiveNodes(service.currentDate()), 2);
        vm.prank(node(5));
        service.redelegate(3, node(0));
        vm.assertEq(service.globalDailyActiveNodes(service.currentDate()), 1);
        nextDay();
        service.confirmNodeRewards(node(1));
        vm.assertEq(service.claimableRewards(2), DAILY_REWARD);
    }
}
