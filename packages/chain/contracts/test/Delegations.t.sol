// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

contract DelegationsTest is Harness {
    address private holder;

    function setUp() public override {
        super.setUp();
        holder = node(50);
        license.mint(holder, 3);
    }

    function delegate(uint256 tokenID, address to) private {
        vm.prank(holder);
        service.delegate(tokenID, to);
    }

    function weights(uint256 ofHolder, uint256 ofFirst, uint256 ofSecond) private view {
        vm.assertEq(service.delegationWeights(holder), ofHolder);
        vm.assertEq(service.delegationWeights(node(0)), ofFirst);
        vm.assertEq(service.delegationWeights(node(1)), ofSecond);
    }

    function test_a_license_counts_for_its_holder_until_it_is_delegated() public {
        weights(3, 0, 0);
        vm.assertEq(service.delegation(1), holder);
        vm.expectEmit(address(service));
        emit IVerifierService.Delegate(1, node(0));
        delegate(1, node(0));
        weights(2, 1, 0);
        vm.assertEq(service.delegation(1), node(0));
        vm.assertEq(service.delegationCount(node(0)), 1);
        vm.assertEq(service.delegationCount(holder), 0);
    }

    function test_a_delegated_license_moves_and_comes_back() public {
        delegate(1, node(0));
        vm.expectEmit(address(service));
        emit IVerifierService.Redelegate(1, node(1));
        vm.prank(holder);
        service.redelegate(1, node(1));
        weights(2, 0, 1);
        vm.expectEmit(address(service));
        emit IVerifierService.Undelegate(1, node(1));
        vm.prank(holder);
        service.undelegate(1);
        weights(3, 0, 0);
        vm.assertEq(service.delegationCount(node(1)), 0);
    }

    function test_only_the_holder_decides() public {
        expectReason("Not token owner");
        service.delegate(1, node(0));
        delegate(1, node(0));
        expectReason("Not token owner");
        service.redelegate(1, node(1));
        expectReason("Not token owner");
        vm.prank(node(0));
        service.undelegate(1);
        vm.expectRevert(abi.encodeWithSignature("ERC721NonexistentToken(uint256)", 9));
        service.delegate(9, node(0));
    }

    function test_steps_out_of_order_are_refused() public {
        expectReason("Invalid node");
        delegate(1, address(0));
        expectReason("Not delegated");
        vm.prank(holder);
        service.redelegate(1, node(0));
        expectReason("Not delegated");
        vm.prank(holder);
        service.undelegate(1);
        delegate(1, node(0));
        expectReason("Already delegated");
        delegate(1, node(1));
        expectReason("Already delegated");
        vm.prank(holder);
        service.redelegate(1, node(0));
        expectReason("Invalid node");
        vm.prank(holder);
        service.redelegate(1, address(0));
    }

    function test_100_licenses_may_be_delegated_to_a_node() public {
        license.mint(holder, 100);
        for (uint256 tokenID = 1; tokenID <= 100; tokenID++) delegate(tokenID, node(0));
        expectReason("Too many delegations");
        delegate(101, node(0));
        delegate(101, node(1));
        expectReason("Too many delegations");
        vm.prank(holder);
        service.redelegate(101, node(0));
        vm.prank(holder);
        service.undelegate(7);
        delegate(102, node(0));
        vm.assertEq(service.delegationWeights(node(0)), 100);
    }

    function test_licenses_held_do_not_count_as_delegations() public {
        license.mint(node(0), 150);
        delegate(1, node(0));
        vm.assertEq(service.delegationWeights(node(0)), 151);
        vm.assertEq(service.delegationCount(node(0)), 1);
    }

    function test_a_license_that_changes_hands_counts_for_its_new_holder() public {
        delegate(1, node(0));
        vm.expectEmit(address(service));
        emit IVerifierService.Undelegate(1, node(0));
        vm.prank(holder);
        license.transferFrom(holder, node(1), 1);
        weights(2, 0, 1);
        vm.assertEq(service.delegationCount(node(0)), 0);
        expectReason("Not token owner");
        vm.prank(holder);
        service.undelegate(1);
    }

    function test_only_the_license_contract_tells_of_movements() public {
        expectReason("Not license contract");
        service.onLicenseMoved(1, node(0));
    }
}
