// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IDisputableSlasher} from "../solidity/interfaces/IDisputableSlasher.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title Proposing, disputing and carrying out the slashing of a vote against a verdict.
contract DisputableSlasherTest is Harness {
    bytes32 private attestationID;
    uint256 private proposedAt;

    /// @dev Nodes 0 to 2 vote "malicious", node 3 votes "valid", node 4 misses its report.
    function setUp() public override {
        super.setUp();
        enterMany(5);
        attestationID = openAttestation();
        for (uint256 operator = 0; operator < 3; operator++) report(node(operator), attestationID, 2);
        report(node(3), attestationID, 0);
        passDeadline(attestationID);
        proposedAt = block.timestamp;
    }

    function place(uint256 operator) private view returns (uint32) {
        return indexOf(attestationID, node(operator));
    }

    function propose(uint256 operator) private {
        uint32 index = place(operator);
        vm.prank(SLASHER);
        slasher.propose(attestationID, index);
    }

    function refuse(address caller, bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(caller);
    }

    function notInState(IDisputableSlasher.State wanted, IDisputableSlasher.State found) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IDisputableSlasher.NotInState.selector, wanted, found);
    }

    function missesRole(address caller, string memory role) private pure returns (bytes memory) {
        bytes32 hash = keccak256(bytes(role));
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, hash);
    }

    function stateOf(uint256 operator) private view returns (IDisputableSlasher.State) {
        return slasher.proposals(attestationID, place(operator)).state;
    }

    function test_a_proposal_names_the_accused_and_its_time() public {
        vm.expectEmit(address(slasher));
        emit IDisputableSlasher.SlashProposed(attestationID, place(3), node(3), proposedAt + 3 days);
        propose(3);
        IDisputableSlasher.Proposal memory proposal = slasher.proposals(attestationID, place(3));
        vm.assertEq(proposal.node, node(3));
        vm.assertEq(proposal.executableAt, proposedAt + 3 days);
        vm.assertEq(slasher.service(), address(service));
    }

    function test_only_slashers_propose_and_carry_out() public {
        uint32 index = place(3);
        address[3] memory others = [address(this), node(0), ARBITER];
        for (uint256 i = 0; i < others.length; i++) {
            refuse(others[i], missesRole(others[i], "SLASHER_ROLE"));
            slasher.propose(attestationID, index);
            refuse(others[i], missesRole(others[i], "SLASHER_ROLE"));
            slasher.execute(attestationID, index);
        }
    }

    function test_only_a_vote_against_a_verdict_is_proposed() public {
        for (uint256 operator = 0; operator < 5; operator++) {
            if (operator == 3) continue;
            uint32 index = place(operator);
            refuse(SLASHER, abi.encodeWithSelector(IDisputableSlasher.NotAgainstVerdict.selector, attestationID, index));
            slasher.propose(attestationID, index);
        }
        // Behind the list of the chosen there is no vote.
        refuse(SLASHER, abi.encodeWithSelector(IDisputableSlasher.NotAgainstVerdict.selector, attestationID, uint32(5)));
        slasher.propose(attestationID, 5);
        bytes32 open = openAttestation();
        report(node(0), open, 0);
        refuse(SLASHER, abi.encodeWithSelector(IDisputableSlasher.NotAgainstVerdict.selector, open, uint32(0)));
        slasher.propose(open, 0);
    }

    function test_a_vote_is_proposed_once() public {
        propose(3);
        uint32 index = place(3);
        refuse(SLASHER, notInState(IDisputableSlasher.State.None, IDisputableSlasher.State.Proposed));
        slasher.propose(attestationID, index);
    }

    function test_the_delay_has_to_pass_to_its_last_second() public {
        propose(3);
        uint32 index = place(3);
        vm.warp(proposedAt + 3 days - 1);
        refuse(SLASHER, abi.encodeWithSelector(IDisputableSlasher.DisputesAreOpen.selector, proposedAt + 3 days));
        slasher.execute(attestationID, index);
        vm.prank(node(3));
        slasher.dispute(attestationID, index);
    }

    function test_a_proposal_is_carried_out_once() public {
        propose(3);
        uint32 index = place(3);
        vm.warp(proposedAt + 3 days);
        vm.expectEmit(address(slasher));
        emit IDisputableSlasher.SlashExecuted(attestationID, index, node(3));
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSlash(address(slasher), node(3), attestationID, 0);
        vm.prank(SLASHER);
        slasher.execute(attestationID, index);
        refuse(SLASHER, notInState(IDisputableSlasher.State.Proposed, IDisputableSlasher.State.Executed));
        slasher.execute(attestationID, index);
        // A vote is no missed report.
        vm.assertEq(info(node(3)).missed, 0);
    }

    function test_a_dispute_comes_in_time_from_the_accused_or_an_arbiter() public {
        propose(3);
        uint32 index = place(3);
        address[3] memory others = [node(0), SLASHER, address(this)];
        for (uint256 i = 0; i < others.length; i++) {
            refuse(others[i], abi.encodeWithSelector(IDisputableSlasher.NotAccusedOrArbiter.selector, others[i]));
            slasher.dispute(attestationID, index);
        }
        uint256 before = vm.snapshotState();
        vm.warp(proposedAt + 3 days);
        refuse(node(3), abi.encodeWithSelector(IDisputableSlasher.DisputesAreOver.selector, proposedAt + 3 days));
        slasher.dispute(attestationID, index);
        vm.revertToState(before);
        vm.expectEmit(address(slasher));
        emit IDisputableSlasher.SlashDisputed(attestationID, index, node(3), ARBITER);
        vm.prank(ARBITER);
        slasher.dispute(attestationID, index);
        refuse(node(3), notInState(IDisputableSlasher.State.Proposed, IDisputableSlasher.State.Disputed));
        slasher.dispute(attestationID, index);
    }

    function test_an_arbiter_alone_decides_a_dispute() public {
        propose(3);
        uint32 index = place(3);
        refuse(ARBITER, notInState(IDisputableSlasher.State.Disputed, IDisputableSlasher.State.Proposed));
        slasher.resolve(attestationID, index, true);
        vm.prank(node(3));
        slasher.dispute(attestationID, index);
        address[3] memory others = [node(3), SLASHER, address(this)];
        for (uint256 i = 0; i < others.length; i++) {
            refuse(others[i], missesRole(others[i], "ARBITER_ROLE"));
            slasher.resolve(attestationID, index, true);
        }
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSlash(address(slasher), node(3), attestationID, 0);
        vm.prank(ARBITER);
        slasher.resolve(attestationID, index, true);
        vm.assertTrue(stateOf(3) == IDisputableSlasher.State.Executed);
    }

    function test_a_disputed_proposal_waits_for_an_arbiter_and_a_dismissed_one_is_over_for_ever() public {
        propose(3);
        uint32 index = place(3);
        vm.prank(node(3));
        slasher.dispute(attestationID, index);
        vm.warp(proposedAt + 30 days);
        refuse(SLASHER, notInState(IDisputableSlasher.State.Proposed, IDisputableSlasher.State.Disputed));
        slasher.execute(attestationID, index);
        vm.expectEmit(address(slasher));
        emit IDisputableSlasher.SlashDismissed(attestationID, index, node(3));
        vm.prank(ARBITER);
        slasher.resolve(attestationID, index, false);
        refuse(SLASHER, notInState(IDisputableSlasher.State.Proposed, IDisputableSlasher.State.Dismissed));
        slasher.execute(attestationID, index);
        refuse(SLASHER, notInState(IDisputableSlasher.State.None, IDisputableSlasher.State.Dismissed));
        slasher.propose(attestationID, index);
        refuse(ARBITER, notInState(IDisputableSlasher.State.Disputed, IDisputableSlasher.State.Dismissed));
        slasher.resolve(attestationID, index, true);
    }

    function test_the_admin_appoints_and_cannot_slash() public {
        IAccessControl roles = IAccessControl(address(slasher));
        uint32 index = place(3);
        refuse(node(0), missesAdmin(node(0)));
        roles.grantRole(keccak256("SLASHER_ROLE"), node(0));
        roles.revokeRole(keccak256("SLASHER_ROLE"), SLASHER);
        refuse(SLASHER, missesRole(SLASHER, "SLASHER_ROLE"));
        slasher.propose(attestationID, index);
        refuse(address(this), missesRole(address(this), "SLASHER_ROLE"));
        slasher.propose(attestationID, index);
    }

    function missesAdmin(address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, bytes32(0));
    }
}
