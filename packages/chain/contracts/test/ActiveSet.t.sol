// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

contract ActiveSetTest is Harness {
    function defaultRules() internal pure override returns (ISettings.Rules memory rules) {
        rules = super.defaultRules();
        rules.maxActiveNodes = 3;
    }

    function enterFor(uint256 operator, address replaced) private {
        vm.prank(node(operator));
        service.nodeEnter(replaced);
    }

    function test_a_node_without_weight_may_not_enter() public {
        expectReason("No delegationWeights");
        enterFor(0, address(0));
    }

    function test_a_node_enters_once() public {
        enter(0, 1);
        expectReason("Already enter");
        enterFor(0, address(0));
    }

    function test_entering_registers_and_activates() public {
        license.mint(node(0), 2);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeRegister(node(0), 1);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeActivate(node(0), 0);
        enterFor(0, address(0));
        IVerifierService.NodeInfo memory after_ = info(node(0));
        vm.assertEq(after_.id, 1);
        vm.assertTrue(after_.active);
        vm.assertEq(after_.lastEnterTime, block.timestamp);
        vm.assertEq(service.activeVrfNodeList(0), 1);
        vm.assertEq(service.nodeAddrByID(1), node(0));
    }

    function test_a_node_keeps_its_id_when_it_comes_back() public {
        enter(0, 1);
        enter(1, 1);
        vm.prank(node(0));
        service.nodeExit();
        enterFor(0, address(0));
        vm.assertEq(info(node(0)).id, 1);
        vm.assertEq(info(node(0)).listIndex, 1);
    }

    function test_leaving_gives_the_place_to_the_last_of_the_list() public {
        enterMany(3);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(node(0));
        vm.prank(node(0));
        service.nodeExit();
        vm.assertEq(service.activeNodeCount(), 2);
        vm.assertEq(service.activeVrfNodeList(0), info(node(2)).id);
        vm.assertEq(info(node(2)).listIndex, 0);
        vm.assertFalse(info(node(0)).active);
    }

    function test_who_is_not_active_cannot_leave() public {
        expectReason("Already exit");
        vm.prank(node(0));
        service.nodeExit();
        enter(0, 1);
        vm.prank(node(0));
        service.nodeExit();
        expectReason("Already exit");
        vm.prank(node(0));
        service.nodeExit();
    }

    function test_the_replaced_node_is_looked_at_only_when_the_set_is_full() public {
        enterMany(2);
        license.mint(node(2), 1);
        enterFor(2, node(0));
        vm.assertTrue(info(node(0)).active);
        vm.assertEq(service.activeNodeCount(), 3);
    }

    function test_a_full_set_needs_an_active_node_to_replace() public {
        enterMany(3);
        license.mint(node(3), 5);
        expectReason("Replaced node is not active");
        enterFor(3, address(0));
        expectReason("Replaced node is not active");
        enterFor(3, node(4));
    }

    function test_a_full_set_needs_strictly_more_weight() public {
        enter(0, 2);
        enter(1, 1);
        enter(2, 3);
        license.mint(node(3), 2);
        expectReason("Less weights");
        enterFor(3, node(0));
        expectReason("Less weights");
        enterFor(3, node(2));
        enterFor(3, node(1));
        vm.assertTrue(info(node(3)).active);
    }

    function test_a_heavier_node_takes_the_place_of_a_lighter_one() public {
        enterMany(3);
        license.mint(node(3), 2);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeRegister(node(3), 4);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(node(1));
        vm.expectEmit(address(service));
        emit IVerifierService.NodeActivate(node(3), 1);
        enterFor(3, node(1));
        vm.assertFalse(info(node(1)).active);
        vm.assertEq(service.activeNodeCount(), 3);
        vm.assertEq(service.activeVrfNodeList(1), 4);
        expectReason("Already exit");
        vm.prank(node(1));
        service.nodeExit();
    }

    function test_the_active_set_is_readable_in_parts_with_weights() public {
        enter(0, 2);
        enter(1, 1);
        enter(2, 3);
        IVerifierService.ActiveNode[] memory part = service.activeNodes(1, 5);
        vm.assertEq(part.length, 2);
        vm.assertEq(part[0].node, node(1));
        vm.assertEq(part[1].weight, 3);
        vm.assertEq(part[1].id, 3);
        vm.assertEq(service.activeNodes(3, 5).length, 0);
        vm.assertEq(service.activeNodes(0, 2).length, 2);
        vm.expectRevert();
        service.activeVrfNodeList(3);
    }

    // Commission

    function setCommission(uint256 operator, uint32 rate) private {
        vm.prank(node(operator));
        service.nodeModifyCommissionRate(rate);
    }

    function test_only_registered_nodes_have_a_commission() public {
        license.mint(node(0), 1);
        expectReason("Not register");
        setCommission(0, 100);
    }

    function test_a_commission_rises_by_500_at_once_at_most() public {
        enter(0, 1);
        expectReason("Modify too large at one time");
        setCommission(0, 501);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeModifyCommissionRate(node(0), 500);
        setCommission(0, 500);
        vm.warp(block.timestamp + 1 weeks);
        expectReason("Modify too large at one time");
        setCommission(0, 1_001);
        setCommission(0, 1_000);
        vm.assertEq(info(node(0)).commissionRate, 1_000);
        vm.assertEq(info(node(0)).lastModifyAt, block.timestamp);
    }

    function test_a_commission_changes_once_a_week() public {
        enter(0, 1);
        setCommission(0, 500);
        vm.warp(block.timestamp + 1 weeks - 1);
        expectReason("Not meet min commission rate modify interval");
        setCommission(0, 400);
        vm.warp(block.timestamp + 1);
        setCommission(0, 400);
    }

    function test_a_commission_falls_by_any_amount_and_is_at_most_10000() public {
        ISettings.Rules memory rules = defaultRules();
        rules.maxCommissionIncrease = 10_000;
        settings.setRules(rules);
        enter(0, 1);
        expectReason("Value is too large");
        setCommission(0, 10_001);
        expectReason("Value is too large");
        setCommission(0, type(uint32).max);
        setCommission(0, 10_000);
        vm.warp(block.timestamp + 1 weeks);
        setCommission(0, 0);
        vm.assertEq(info(node(0)).commissionRate, 0);
    }

    // Claimer

    function test_a_claimer_is_set_by_registered_or_weighted_nodes_only() public {
        expectReason("Not register");
        vm.prank(node(0));
        service.nodeSetRewardClaimer(address(1));
        license.mint(node(0), 1);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSetClaimer(node(0), address(1));
        vm.prank(node(0));
        service.nodeSetRewardClaimer(address(1));
        vm.assertEq(info(node(0)).claimer, address(1));
    }

    function test_a_registered_node_without_weight_may_still_set_its_claimer() public {
        enter(0, 1);
        vm.prank(node(0));
        license.transferFrom(node(0), address(this), 1);
        vm.prank(node(0));
        service.nodeSetRewardClaimer(address(2));
        vm.assertEq(info(node(0)).claimer, address(2));
    }
}
