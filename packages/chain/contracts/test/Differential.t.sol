// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm, Vm} from "./support/Vm.sol";

/// @title Scenarios that come out the same at our service and at the one that stands for the contract in use.
/// @dev What only our service has is tested elsewhere: a quorum in Verdicts.t.sol, disputes in DisputableSlasher.t.sol, asking for randomness
/// again in LateRandomness.t.sol, delayed settings in Ownership.t.sol, late licenses without a day in CreditedDays.t.sol. What only the
/// other service does is tested in Reverting.t.sol.
abstract contract DifferentialTest is Harness {
    address private holder;

    function serviceName() internal pure virtual returns (string memory);

    function setUp() public override {
        // The other service numbers days from its deployment: with one at midnight the days are the same.
        vm.warp((START / 1 days + 1) * 1 days);
        deploy(defaultRules(), serviceName());
        holder = node(90);
        license.mint(holder, 1);
        vm.prank(holder);
        service.delegate(1, node(0));
        enter(0, 0);
        enter(1, 2);
        enter(2, 1);
    }

    // S1: a node without a license leaves the active set in the same step.

    function test_an_undelegated_node_leaves() public {
        clearsTheFirst(abi.encodeCall(service.undelegate, (1)), address(service));
    }

    function test_a_node_whose_delegated_license_is_sold_leaves() public {
        clearsTheFirst(abi.encodeCall(license.transferFrom, (holder, node(91), 1)), address(license));
    }

    function test_a_node_that_sells_its_own_license_leaves() public {
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(node(2));
        vm.prank(node(2));
        license.transferFrom(node(2), holder, 4);
        vm.assertFalse(info(node(2)).active);
        vm.assertEq(activeIDs().length, 2);
    }

    function test_a_node_that_keeps_a_license_stays() public {
        vm.prank(node(1));
        license.transferFrom(node(1), holder, 2);
        vm.assertTrue(info(node(1)).active);
        vm.assertEq(service.delegationWeights(node(1)), 1);
    }

    function clearsTheFirst(bytes memory call_, address target) private {
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(node(0));
        vm.prank(holder);
        (bool succeeded,) = target.call(call_);
        vm.assertTrue(succeeded);
        vm.assertFalse(info(node(0)).active);
        uint32[] memory ids = activeIDs();
        vm.assertEq(ids.length, 2);
        vm.assertTrue(ids[0] == info(node(2)).id && ids[1] == info(node(1)).id);
        vm.assertEq(info(node(2)).listIndex, 0);
    }

    // S2: a license that moves during the window backs one vote.

    function test_a_license_that_hops_backs_one_vote() public {
        bytes32 attestationID = openAttestation();
        reportAs(0, attestationID, 2);
        vm.prank(holder);
        service.undelegate(1);
        vm.prank(holder);
        service.delegate(1, node(50));
        enter(50, 0);
        for (uint32 index = 0; index < 3; index++) {
            expectReason("Not chosen");
            vm.prank(node(50));
            service.nodeReportVerification(attestationID, index, 2);
        }
        vm.assertEq(service.attestations(attestationID).malicious, 1);
    }

    // S3: leaving after the hours of the day credits the day, before them it does not.

    function test_an_exit_after_the_hours_credits_the_day() public {
        vm.warp(block.timestamp + 6 hours);
        vm.assertEq(creditsOf(1, abi.encodeCall(service.nodeExit, ())), 1);
    }

    function test_an_exit_before_the_hours_credits_nothing() public {
        vm.warp(block.timestamp + 6 hours - 1);
        vm.assertEq(creditsOf(1, abi.encodeCall(service.nodeExit, ())), 0);
    }

    function test_a_replaced_node_is_credited_the_day() public {
        ISettings.Rules memory rules = defaultRules();
        rules.maxActiveNodes = 3;
        settings.setRules(rules);
        license.mint(node(5), 3);
        vm.warp(block.timestamp + 6 hours);
        vm.assertEq(creditsOf(5, abi.encodeCall(service.nodeEnter, (node(1)))), 1);
        vm.assertFalse(info(node(1)).active);
    }

    function test_a_day_is_credited_once() public {
        vm.warp(block.timestamp + 6 hours);
        service.nodeReportDailyActive(node(1));
        vm.assertEq(creditsOf(1, abi.encodeCall(service.nodeExit, ())), 0);
    }

    // S12: a report of the day before the hours are reached credits nothing, whether or not it reverts.

    function test_an_early_report_credits_nothing() public {
        vm.warp(block.timestamp + 6 hours - 1);
        vm.assertEq(creditsOf(9, abi.encodeCall(service.nodeReportDailyActive, (node(1)))), 0);
        vm.warp(block.timestamp + 1);
        vm.assertEq(creditsOf(9, abi.encodeCall(service.nodeReportDailyActive, (node(1)))), 1);
    }

    /// @dev How many days a call credits, which may fail.
    function creditsOf(uint256 sender, bytes memory call_) private returns (uint256 count) {
        vm.recordLogs();
        vm.prank(node(sender));
        (bool ignored,) = address(service).call(call_);
        ignored;
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) if (logs[i].topics[0] == IVerifierService.NodeDailyActive.selector) count++;
    }

    // S4: who was chosen owes the report, also after an exit and a new entry; the second miss ends the membership.

    function test_an_exit_and_a_new_entry_excuse_no_missed_report() public {
        for (uint256 round = 1; round <= 2; round++) {
            bytes32 attestationID = openAttestation();
            uint32 index = placeOf(attestationID, 1);
            vm.prank(node(1));
            service.nodeExit();
            vm.prank(node(1));
            service.nodeEnter(address(0));
            passDeadline(attestationID);
            service.nodeSlash(node(1), attestationID, index);
            vm.assertEq(info(node(1)).missed, round);
            vm.assertTrue(service.nodeSlashed(node(1), attestationID));
            expectReason("Already slash");
            service.nodeSlash(node(1), attestationID, index);
        }
        vm.assertFalse(info(node(1)).active);
    }

    function test_a_node_that_left_for_good_is_slashed() public {
        bytes32 attestationID = openAttestation();
        uint32 index = placeOf(attestationID, 1);
        vm.prank(node(1));
        service.nodeExit();
        expectReason("Deadline not passed");
        service.nodeSlash(node(1), attestationID, index);
        passDeadline(attestationID);
        service.nodeSlash(node(1), attestationID, index);
        vm.assertEq(info(node(1)).missed, 1);
    }

    function test_who_reported_is_not_slashed() public {
        bytes32 attestationID = openAttestation();
        reportAs(1, attestationID, 0);
        uint32 index = placeOf(attestationID, 1);
        passDeadline(attestationID);
        expectReason("Not to be slashed");
        service.nodeSlash(node(1), attestationID, index);
    }

    // S11: of bad entries none counts, and a signature with a high s is refused.

    function test_the_same_report_counts_once_and_one_of_somebody_else_never() public {
        bytes32 attestationID = openAttestation();
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](1);
        infos[0] = Signing.info(key(1), domain(), attestationID, 0, placeOf(attestationID, 1));
        service.nodeReportVerificationBatch(attestationID, infos);
        (bool ignored,) = address(service).call(abi.encodeCall(service.nodeReportVerificationBatch, (attestationID, infos)));
        infos[0].signer = node(2);
        (ignored,) = address(service).call(abi.encodeCall(service.nodeReportVerificationBatch, (attestationID, infos)));
        vm.assertEq(service.attestations(attestationID).valid, 1);
    }

    function test_a_high_s_is_refused_in_the_same_words() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = Signing.malleate(signed(1, Signing.exit(expiredAt)));
        expectReason("Invalid signature S");
        service.nodeExitWithSignature(expiredAt, node(1), s.v, s.r, s.s);
    }

    /// @dev The other service has no view of a whole chosen list.
    function placeOf(bytes32 attestationID, uint256 operator) private view returns (uint32 index) {
        uint32 chosenID = service.attestations(attestationID).vrfChosenID;
        while (service.vrfChosenMap(chosenID, index) != info(node(operator)).id) index++;
    }

    function reportAs(uint256 operator, bytes32 attestationID, uint8 result) private {
        uint32 index = placeOf(attestationID, operator);
        vm.prank(node(operator));
        service.nodeReportVerification(attestationID, index, result);
    }

    function activeIDs() private view returns (uint32[] memory ids) {
        uint256 count = 0;
        for (uint256 i = 0; i < 3; i++) if (info(node(i)).active) count++;
        ids = new uint32[](count);
        for (uint256 i = 0; i < count; i++) ids[i] = service.activeVrfNodeList(i);
    }
}

contract OursTest is DifferentialTest {
    function serviceName() internal pure override returns (string memory) {
        return "verifierService";
    }
}

contract InUseTest is DifferentialTest {
    function serviceName() internal pure override returns (string memory) {
        return "revertingDaysService";
    }
}
