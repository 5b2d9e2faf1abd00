// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

/// @title The service without our guarantees: what a relayer has to bear with there.
contract RevertingTest is Harness {
    bytes32 private attestationID;

    function setUp() public override {
        super.setUp();
        deployReverting();
        enterMany(3);
        attestationID = reportAttestation();
        randomness.fulfill(1);
    }

    /// @dev A full set of three, behind a license contract of its own.
    function deployReverting() private {
        ISettings.Rules memory rules = defaultRules();
        rules.maxActiveNodes = 3;
        deploy(rules, "revertingService");
    }

    function signedInfo(uint256 operator, uint8 result) private view returns (IVerifierService.VerificationInfo memory) {
        return Signing.info(key(operator), domain(), attestationID, result, uint32(operator));
    }

    function test_one_bad_entry_undoes_the_batch() public {
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](2);
        infos[0] = signedInfo(0, 0);
        infos[1] = signedInfo(1, 0);
        infos[1].result = 1;
        expectReason("signer not match");
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.assertFalse(service.attestationVerifiedNode(attestationID, node(0)));
        infos[1] = infos[0];
        expectReason("Already verify");
        service.nodeReportVerificationBatch(attestationID, infos);
        infos[1] = signedInfo(1, 0);
        service.nodeReportVerificationBatch(attestationID, infos);
        vm.assertTrue(service.attestationVerifiedNode(attestationID, node(1)));
        vm.assertEq(service.attestations(attestationID).valid, 2);
    }

    function test_one_failing_call_undoes_the_multicall() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(0, Signing.exit(expiredAt));
        bytes[] memory calls = new bytes[](2);
        calls[0] = abi.encodeCall(IVerifierService.nodeExitWithSignature, (expiredAt, node(0), s.v, s.r, s.s));
        calls[1] = calls[0];
        expectReason("Already exit");
        service.multicall(calls);
        vm.assertTrue(info(node(0)).active);
    }

    function test_a_signed_exit_works_again() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(0, Signing.exit(expiredAt));
        for (uint256 round = 0; round < 2; round++) {
            service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
            vm.prank(node(0));
            service.nodeEnter(address(0));
        }
    }

    function test_it_does_not_know_the_questions_of_ours() public {
        vm.expectRevert();
        service.supportsIsolation();
        vm.expectRevert();
        service.usedDigest(0, node(0));
        vm.expectRevert();
        service.eip712Domain();
    }

    function refused(uint256 operator, bytes memory call_, string memory reason) private {
        expectReason(reason);
        vm.prank(node(operator));
        (bool ignored,) = address(service).call(call_);
        ignored;
    }

    function test_the_words_of_its_reverts_are_those_of_the_rules() public {
        license.mint(node(5), 1);
        refused(6, abi.encodeCall(service.nodeEnter, (address(0))), "No delegationWeights");
        refused(0, abi.encodeCall(service.nodeEnter, (address(0))), "Already enter");
        refused(5, abi.encodeCall(service.nodeEnter, (node(0))), "Less weights");
        refused(5, abi.encodeCall(service.nodeEnter, (node(6))), "Replaced node is not active");
        refused(5, abi.encodeCall(service.nodeExit, ()), "Already exit");
        refused(5, abi.encodeCall(service.nodeModifyCommissionRate, (1)), "Not register");
        refused(0, abi.encodeCall(service.nodeModifyCommissionRate, (10_001)), "Value is too large");
        refused(0, abi.encodeCall(service.nodeModifyCommissionRate, (501)), "Modify too large at one time");
        vm.prank(node(0));
        service.nodeModifyCommissionRate(500);
        refused(0, abi.encodeCall(service.nodeModifyCommissionRate, (1)), "Not meet min commission rate modify interval");
        refused(0, abi.encodeCall(service.nodeReportVerification, (0, 0, 0)), "Attestation not exist");
        refused(0, abi.encodeCall(service.nodeReportVerification, (attestationID, 1, 0)), "Not chosen");
        refused(5, abi.encodeCall(service.nodeReportVerification, (attestationID, 0, 0)), "Not active");
        bytes32 waiting = reportAttestation();
        refused(0, abi.encodeCall(service.nodeReportVerification, (waiting, 0, 0)), "Waiting vrf");
        vm.prank(node(0));
        license.transferFrom(node(0), address(this), 1);
        refused(0, abi.encodeCall(service.nodeReportVerification, (attestationID, 0, 0)), "No weights");
        vm.warp(block.timestamp + 31 minutes);
        refused(1, abi.encodeCall(service.nodeReportVerification, (attestationID, 1, 0)), "Deadline passed");
    }

    function test_signatures_are_refused_in_the_same_words() public {
        uint256 expiredAt = block.timestamp + 7 hours;
        Signing.Signature memory s = signed(0, Signing.exit(expiredAt));
        expectReason("Invalid expiredAt");
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        expiredAt = block.timestamp + 1 hours;
        expectReason("signer not match");
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        s = Signing.malleate(signed(0, Signing.exit(expiredAt)));
        expectReason("Invalid signature S");
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
    }
}
