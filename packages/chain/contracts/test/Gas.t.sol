// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {ILicense} from "../solidity/interfaces/ILicense.sol";
import {Deployed} from "./support/Deployed.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

/// @title What transactions cost, whole ones: each call of a test is a transaction of its own (`isolate`).
/// @dev The figures are kept in `test/gas` and compared when tests run. Batches are sent when all other votes of the
/// attestation's 200 are still open; every figure is of a node that was active for a while.
/// forge-config: default.isolate = true
contract GasTest is Harness {
    string private constant GROUP = "transactions";
    uint256 private constant NODES = 400;

    IVerifierService private revertingService;

    function setUp() public override {
        super.setUp();
        enterMany(NODES);
        IVerifierService ours = service;
        ILicense oursLicense = license;
        license = ILicense(Deployed.create("license", abi.encode("License", "LIC")));
        service = revertingService = deployService("revertingService", "1.0.0");
        license.setService(address(revertingService));
        enterMany(NODES);
        (service, license) = (ours, oursLicense);
        revertingService.setTee(address(this), true);
        vm.warp(block.timestamp + 1 days);
    }

    function snapshot(string memory name) private returns (uint256) {
        return vm.snapshotGasLastCall(GROUP, name);
    }

    /// @dev Operators enter in order, so an operator's number is one less than its id.
    function batch(bytes32 attestationID, uint32[] memory chosen, uint256 from, uint256 count)
        private
        view
        returns (IVerifierService.VerificationInfo[] memory infos)
    {
        infos = new IVerifierService.VerificationInfo[](count);
        for (uint256 i = 0; i < count; i++) {
            infos[i] = Signing.info(key(chosen[from + i] - 1), domain(), attestationID, 0, uint32(from + i));
        }
    }

    function test_reports_in_batches() public {
        uint256[5] memory sizes = [uint256(1), 10, 50, 100, 200];
        for (uint256 i = 0; i < sizes.length; i++) {
            bytes32 attestationID = openAttestation();
            IVerifierService.VerificationInfo[] memory infos = batch(attestationID, chosenOf(attestationID), 0, sizes[i]);
            service.nodeReportVerificationBatch(attestationID, infos);
            uint256 gas = snapshot(string.concat("reports, batch of ", vm.toString(sizes[i])));
            vm.snapshotValue(GROUP, string.concat("reports, each in a batch of ", vm.toString(sizes[i])), gas / sizes[i]);
            vm.assertEq(service.attestations(attestationID).valid, sizes[i]);
        }
    }

    /// Reports come to a relayer in any order.
    function test_reports_in_a_shuffled_batch() public {
        bytes32 attestationID = openAttestation();
        IVerifierService.VerificationInfo[] memory sorted = batch(attestationID, chosenOf(attestationID), 0, 200);
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](200);
        // 77 and 200 have no common divisor, so every place comes once.
        for (uint256 i = 0; i < 200; i++) infos[i] = sorted[(i * 77) % 200];
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.snapshotValue(GROUP, "reports, each in a shuffled batch of 200", vm.lastCallGas().gasTotalUsed / 200);
        vm.assertEq(service.attestations(attestationID).valid, 200);
    }

    function test_a_report_in_a_batch_of_200_costs_a_fifth_of_a_transaction_of_the_node() public {
        bytes32 attestationID = openRevertingAttestation();
        uint32 id = revertingService.vrfChosenMap(1, 7);
        vm.prank(node(id - 1));
        revertingService.nodeReportVerification(attestationID, 7, 0);
        uint256 alone = snapshot("reverting: report sent by the node itself");

        attestationID = openAttestation();
        service.nodeReportVerificationBatch(attestationID, batch(attestationID, chosenOf(attestationID), 0, 200));
        uint256 together = vm.lastCallGas().gasTotalUsed / 200;
        vm.assertLe(together * 5, alone, "a batch saves less than 80 %");
        vm.assertLe(together, 12_500);
    }

    function test_report_sent_by_the_node_itself() public {
        bytes32 attestationID = openAttestation();
        uint32[] memory chosen = chosenOf(attestationID);
        vm.prank(node(chosen[7] - 1));
        service.nodeReportVerification(attestationID, 7, 0);
        snapshot("report sent by the node itself, first of its word of votes");
        vm.prank(node(chosen[8] - 1));
        service.nodeReportVerification(attestationID, 8, 0);
        snapshot("report sent by the node itself");
    }

    function test_reverting_reports_in_batches() public {
        uint256[4] memory sizes = [uint256(1), 10, 50, 200];
        for (uint32 i = 0; i < sizes.length; i++) {
            bytes32 attestationID = openRevertingAttestation();
            uint32[] memory chosen = new uint32[](sizes[i]);
            for (uint256 place = 0; place < sizes[i]; place++) chosen[place] = revertingService.vrfChosenMap(i + 1, place);
            revertingService.nodeReportVerificationBatch(attestationID, batch(attestationID, chosen, 0, sizes[i]));
            uint256 gas = snapshot(string.concat("reverting: reports, batch of ", vm.toString(sizes[i])));
            vm.snapshotValue(GROUP, string.concat("reverting: reports, each in a batch of ", vm.toString(sizes[i])), gas / sizes[i]);
        }
    }

    function openRevertingAttestation() private returns (bytes32) {
        string[] memory texts = new string[](1);
        // The text decides the zero bytes of the calldata: the recorded gas belongs to this one.
        texts[0] = string.concat("strict ", vm.toString(randomness.lastRequestId()));
        revertingService.teeReportAttestations(texts);
        randomness.fulfill(randomness.lastRequestId());
        return keccak256(bytes(texts[0]));
    }

    function test_rare_operations_with_a_signature() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        license.mint(node(NODES), 1);
        Signing.Signature memory s = signed(NODES, Signing.enter(address(0), expiredAt));
        service.nodeEnterWithSignature(address(0), expiredAt, node(NODES), s.v, s.r, s.s);
        snapshot("enter with signature, first time");
        s = signed(0, Signing.commission(500, expiredAt));
        service.nodeModifyCommissionRateWithSignature(500, expiredAt, node(0), s.v, s.r, s.s);
        snapshot("commission with signature");
        s = signed(0, Signing.claimer(address(0xC1A1), expiredAt));
        service.nodeSetRewardClaimerWithSignature(address(0xC1A1), expiredAt, node(0), s.v, s.r, s.s);
        snapshot("claimer with signature");
        s = signed(0, Signing.exit(expiredAt));
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        snapshot("exit with signature");
        s = signed(0, Signing.enter(address(0), expiredAt));
        service.nodeEnterWithSignature(address(0), expiredAt, node(0), s.v, s.r, s.s);
        snapshot("enter with signature, again");
    }

    function test_choosing_200_nodes() public {
        bytes32 attestationID = reportAttestation();
        snapshot("attestation reported");
        randomness.fulfill(randomness.lastRequestId());
        snapshot("200 of 400 nodes chosen");
        vm.assertEq(chosenOf(attestationID).length, 200);
    }

    function test_daily_activity() public {
        vm.warp((block.timestamp / 1 days) * 1 days + 7 hours);
        service.nodeReportDailyActive(node(0));
        snapshot("daily activity, first of the day");
        service.nodeReportDailyActive(node(1));
        snapshot("daily activity");
        vm.warp(block.timestamp + 1 days);
        service.nodeReportDailyActive(node(1));
        snapshot("daily activity with the settling of the day before");
    }
}
