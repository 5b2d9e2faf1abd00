// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

contract ReportsTest is Harness {
    bytes32 private attestationID;

    function setUp() public override {
        super.setUp();
        enterMany(5);
        attestationID = openAttestation();
    }

    function one(IVerifierService.VerificationInfo memory entry) private pure returns (IVerifierService.VerificationInfo[] memory list) {
        list = new IVerifierService.VerificationInfo[](1);
        list[0] = entry;
    }

    function expectSkip(IVerifierService.VerificationInfo memory entry, string memory reason) private {
        vm.expectEmit(address(service));
        emit IVerifierService.ReportSkipped(attestationID, entry.signer, entry.index, 0, reason);
        service.nodeReportVerificationBatch(attestationID, one(entry));
    }

    function votes() private view returns (uint256) {
        IVerifierService.Attestation memory a = service.attestations(attestationID);
        return uint256(a.valid) + a.invalid + a.malicious;
    }

    // Sent by the node itself

    function test_each_result_is_counted_apart() public {
        report(node(0), attestationID, 0);
        report(node(1), attestationID, 1);
        report(node(2), attestationID, 2);
        report(node(3), attestationID, 0);
        IVerifierService.Attestation memory a = service.attestations(attestationID);
        vm.assertEq(a.valid, 2);
        vm.assertEq(a.invalid, 1);
        vm.assertEq(a.malicious, 1);
        vm.assertEq(service.voteAt(attestationID, indexOf(attestationID, node(2))), 3);
        vm.assertEq(service.voteAt(attestationID, indexOf(attestationID, node(4))), 0);
        vm.assertTrue(service.attestationVerifiedNode(attestationID, node(1)));
        vm.assertFalse(service.attestationVerifiedNode(attestationID, node(4)));
        vm.assertFalse(service.attestationVerifiedNode(attestationID, node(77)));
    }

    function test_a_report_of_the_node_itself_is_told() public {
        uint32 index = indexOf(attestationID, node(0));
        vm.expectEmit(address(service));
        emit IVerifierService.NodeReportVerification(node(0), attestationID, 1);
        vm.prank(node(0));
        service.nodeReportVerification(attestationID, index, 1);
    }

    function refused(address by, bytes32 id, uint32 index, uint8 result, string memory reason) private {
        expectReason(reason);
        vm.prank(by);
        service.nodeReportVerification(id, index, result);
    }

    function test_reports_need_an_attestation_that_takes_them() public {
        refused(node(0), keccak256("unknown"), 0, 0, "Attestation not exist");
        refused(node(0), reportAttestation(), 0, 0, "Waiting vrf");
        uint32 index = indexOf(attestationID, node(0));
        vm.warp(service.attestations(attestationID).deadline + 1);
        refused(node(0), attestationID, index, 0, "Deadline passed");
    }

    function test_the_last_second_still_counts() public {
        vm.warp(service.attestations(attestationID).deadline);
        report(node(0), attestationID, 0);
        vm.assertEq(votes(), 1);
    }

    function test_reports_need_a_chosen_node() public {
        refused(node(9), attestationID, 0, 0, "Not chosen");
        uint32 index = indexOf(attestationID, node(0));
        refused(node(1), attestationID, index, 0, "Not chosen");
        refused(node(1), attestationID, 5, 0, "Not chosen");
        refused(node(1), attestationID, type(uint32).max, 0, "Not chosen");
        refused(node(0), attestationID, index, 3, "Unknown result");
    }

    function test_a_chosen_node_reports_although_it_left_or_lost_its_license() public {
        vm.prank(node(0));
        license.transferFrom(node(0), address(this), 1);
        report(node(0), attestationID, 0);
        vm.prank(node(1));
        service.nodeExit();
        report(node(1), attestationID, 0);
        vm.assertEq(votes(), 2);
    }

    function test_a_node_reports_once() public {
        report(node(0), attestationID, 0);
        uint32 index = indexOf(attestationID, node(0));
        refused(node(0), attestationID, index, 0, "Already verify");
        refused(node(0), attestationID, index, 1, "Already verify");
        vm.assertEq(votes(), 1);
    }

    // Signed, in batches

    function test_a_batch_counts_and_repeats_what_counts() public {
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](3);
        for (uint256 i = 0; i < 3; i++) infos[i] = signedReport(i, attestationID, uint8(i));
        vm.expectEmit(address(service));
        emit IVerifierService.NodeReportVerificationBatch(attestationID, infos);
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.assertEq(votes(), 3);
        vm.assertEq(service.attestations(attestationID).malicious, 1);
    }

    function test_a_batch_for_an_attestation_that_takes_no_reports_reverts() public {
        IVerifierService.VerificationInfo[] memory infos = one(signedReport(0, attestationID, 0));
        expectReason("Attestation not exist");
        service.nodeReportVerificationBatch(keccak256("unknown"), infos);
        bytes32 waiting = reportAttestation();
        expectReason("Waiting vrf");
        service.nodeReportVerificationBatch(waiting, infos);
        passDeadline(attestationID);
        expectReason("Deadline passed");
        service.nodeReportVerificationBatch(attestationID, infos);
    }

    function test_an_empty_batch_does_nothing() public {
        vm.recordLogs();
        service.nodeReportVerificationBatch(attestationID, new IVerifierService.VerificationInfo[](0));
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_each_broken_rule_skips_the_entry_and_says_why() public {
        IVerifierService.VerificationInfo memory entry = signedReport(0, attestationID, 0);
        entry.signer = node(1);
        expectSkip(entry, "signer not match");

        entry = signedReport(0, attestationID, 0);
        entry.result = 1;
        expectSkip(entry, "signer not match");

        entry = signedReport(0, attestationID, 0);
        entry.v = 5;
        expectSkip(entry, "signer not match");
        entry.signer = address(0);
        expectSkip(entry, "signer not match");

        entry = signedReport(0, attestationID, 0);
        Signing.Signature memory other = Signing.malleate(Signing.Signature(entry.v, entry.r, entry.s));
        (entry.v, entry.s) = (other.v, other.s);
        expectSkip(entry, "Invalid signature S");

        expectSkip(Signing.info(key(0), domain(), attestationID, 3, 0), "Unknown result");
        expectSkip(Signing.info(key(9), domain(), attestationID, 0, 0), "Not chosen");
        uint32 index = indexOf(attestationID, node(0));
        expectSkip(Signing.info(key(1), domain(), attestationID, 0, index), "Not chosen");
        expectSkip(Signing.info(key(1), domain(), attestationID, 0, 5), "Not chosen");

        service.nodeReportVerificationBatch(attestationID, one(signedReport(0, attestationID, 0)));
        expectSkip(signedReport(0, attestationID, 0), "Already verify");
        expectSkip(signedReport(0, attestationID, 1), "Already verify");
        vm.assertEq(votes(), 1);
    }

    function test_a_signed_report_of_another_attestation_does_not_match() public {
        bytes32 other = openAttestation();
        expectSkip(signedReport(0, other, 0), "signer not match");
    }

    function test_bad_entries_do_not_touch_the_good_ones() public {
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](6);
        infos[0] = signedReport(0, attestationID, 0);
        infos[1] = signedReport(1, attestationID, 0);
        infos[1].r = 0;
        infos[2] = signedReport(2, attestationID, 1);
        infos[3] = infos[0];
        infos[4] = signedReport(3, attestationID, 0);
        infos[5] = Signing.info(key(9), domain(), attestationID, 0, 0);
        IVerifierService.VerificationInfo[] memory good = new IVerifierService.VerificationInfo[](3);
        (good[0], good[1], good[2]) = (infos[0], infos[2], infos[4]);
        vm.expectEmit(address(service));
        emit IVerifierService.ReportSkipped(attestationID, node(1), infos[1].index, 1, "signer not match");
        vm.expectEmit(address(service));
        emit IVerifierService.ReportSkipped(attestationID, node(0), infos[3].index, 3, "Already verify");
        vm.expectEmit(address(service));
        emit IVerifierService.ReportSkipped(attestationID, node(9), 0, 5, "Not chosen");
        vm.expectEmit(address(service));
        emit IVerifierService.NodeReportVerificationBatch(attestationID, good);
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.assertEq(votes(), 3);
    }

    /// Words that do not fit their types would make an ordinary contract revert as a whole.
    function testFuzz_words_beyond_their_types_are_skipped(uint8 field, uint256 dirt) public {
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](2);
        infos[0] = signedReport(0, attestationID, 0);
        infos[1] = signedReport(1, attestationID, 0);
        bytes memory data = abi.encodeCall(service.nodeReportVerificationBatch, (attestationID, infos));
        uint256[4] memory bits = [uint256(8), 32, 160, 8];
        uint256 which = field % 4;
        dirt = (dirt << bits[which]) == 0 ? uint256(1) << 255 : dirt << bits[which];
        // selector, attestation, offset, length; the first entry follows
        uint256 place = 4 + 96 + 32 * which;
        assembly ("memory-safe") {
            let word := add(add(data, 32), place)
            mstore(word, or(mload(word), dirt))
        }
        vm.expectEmit(address(service));
        emit IVerifierService.ReportSkipped(attestationID, node(0), infos[0].index, 0, which == 0 ? "Unknown result" : "Malformed entry");
        (bool succeeded,) = address(service).call(data);
        vm.assertTrue(succeeded);
        vm.assertEq(votes(), 1);
        vm.assertTrue(service.attestationVerifiedNode(attestationID, node(1)));
        vm.assertFalse(service.attestationVerifiedNode(attestationID, node(0)));
    }

    function testFuzz_garbage_entries_never_revert_and_never_count(IVerifierService.VerificationInfo[] memory infos) public {
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.assertEq(votes(), 0);
    }

    /// Votes lie in words of 128: places on both sides of the border keep apart.
    function test_200_votes_are_kept_apart() public {
        for (uint256 operator = 5; operator < 200; operator++) enter(operator, 1);
        attestationID = openAttestation();
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](200);
        for (uint256 i = 0; i < 200; i++) infos[i] = signedReport(199 - i, attestationID, uint8(i % 3));
        service.nodeReportVerificationBatch(attestationID, infos);
        for (uint256 i = 0; i < 200; i++) vm.assertEq(service.voteAt(attestationID, infos[i].index), 1 + (i % 3));
        vm.assertEq(votes(), 200);
        vm.assertEq(service.attestations(attestationID).valid, 67);
    }

    // What the reports decide

    function test_the_majority_decides_after_the_deadline() public {
        report(node(0), attestationID, 1);
        report(node(1), attestationID, 1);
        report(node(2), attestationID, 0);
        vm.warp(service.attestations(attestationID).deadline);
        (bool decided,) = service.verdict(attestationID);
        vm.assertFalse(decided);
        passDeadline(attestationID);
        uint8 result;
        (decided, result) = service.verdict(attestationID);
        vm.assertTrue(decided);
        vm.assertEq(result, 1);
    }

    function test_half_of_the_reports_is_no_majority() public {
        report(node(0), attestationID, 0);
        report(node(1), attestationID, 2);
        passDeadline(attestationID);
        (bool decided,) = service.verdict(attestationID);
        vm.assertFalse(decided);
        bytes32 silent = openAttestation();
        passDeadline(silent);
        (decided,) = service.verdict(silent);
        vm.assertFalse(decided);
    }

    function test_each_result_can_be_the_verdict() public {
        for (uint8 wanted = 0; wanted < 3; wanted++) {
            bytes32 id = openAttestation();
            report(node(0), id, wanted);
            report(node(1), id, wanted);
            report(node(2), id, (wanted + 1) % 3);
            passDeadline(id);
            (bool decided, uint8 result) = service.verdict(id);
            vm.assertTrue(decided);
            vm.assertEq(result, wanted);
        }
    }
}
