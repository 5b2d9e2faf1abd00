// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

contract SignaturesTest is Harness {
    bytes32 private constant HIGH_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A1;

    function setUp() public override {
        super.setUp();
        license.mint(node(0), 1);
    }

    function enterSigned(uint256 expiredAt, address signer, Signing.Signature memory s) private {
        service.nodeEnterWithSignature(address(0), expiredAt, signer, s.v, s.r, s.s);
    }

    function exitSigned(uint256 operator, uint256 expiredAt) private {
        Signing.Signature memory s = signed(operator, Signing.exit(expiredAt));
        service.nodeExitWithSignature(expiredAt, node(operator), s.v, s.r, s.s);
    }

    // The domain

    function test_domain_hash_of_the_local_chain() public view {
        vm.assertEq(service.eip712DomainHash(), 0xca0dc827209e0b62f93ab46d3f2251f51b0dc6c5f4e622b0da6bda683b9158a8);
    }

    function test_domain_hash_of_arbitrum() public {
        vm.chainId(42161);
        vm.assertEq(service.eip712DomainHash(), 0xdbf1a3666a0676bbc1cbe8c373afafc957265bf654473f81cd7d586b7acfaf43);
        deploy(defaultRules());
        vm.assertEq(service.eip712DomainHash(), 0xdbf1a3666a0676bbc1cbe8c373afafc957265bf654473f81cd7d586b7acfaf43);
    }

    function test_domain_parts_are_readable() public view {
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address verifying,,) = service.eip712Domain();
        vm.assertEq(bytes32(fields), bytes32(bytes1(0x07)));
        vm.assertEq(name, "ProtocolService");
        vm.assertEq(version, "1.0.0");
        vm.assertEq(chainId, block.chainid);
        vm.assertEq(verifying, address(0));
    }

    function test_a_signature_for_another_version_does_not_match() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        bytes32 other = Signing.domainHash("ProtocolService", "1.0.1", block.chainid);
        Signing.Signature memory s = Signing.sign(key(0), other, Signing.enter(address(0), expiredAt));
        expectReason("signer not match");
        enterSigned(expiredAt, node(0), s);
    }

    function test_a_signature_for_another_chain_does_not_match() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        bytes32 other = Signing.domainHash("ProtocolService", "1.0.0", 42161);
        Signing.Signature memory s = Signing.sign(key(0), other, Signing.enter(address(0), expiredAt));
        expectReason("signer not match");
        enterSigned(expiredAt, node(0), s);
    }

    // Expiry

    function test_expiry_is_between_now_and_six_hours_ahead() public {
        uint256 expiredAt = block.timestamp - 1;
        Signing.Signature memory s = signed(0, Signing.enter(address(0), expiredAt));
        expectReason("Invalid expiredAt");
        enterSigned(expiredAt, node(0), s);

        expiredAt = block.timestamp + 6 hours + 1;
        s = signed(0, Signing.enter(address(0), expiredAt));
        expectReason("Invalid expiredAt");
        enterSigned(expiredAt, node(0), s);

        expiredAt = type(uint256).max;
        s = signed(0, Signing.enter(address(0), expiredAt));
        expectReason("Invalid expiredAt");
        enterSigned(expiredAt, node(0), s);
    }

    function test_the_borders_of_the_expiry_are_allowed() public {
        uint256 state = vm.snapshotState();
        uint256 expiredAt = block.timestamp;
        enterSigned(expiredAt, node(0), signed(0, Signing.enter(address(0), expiredAt)));
        vm.revertToState(state);
        expiredAt = block.timestamp + 6 hours;
        enterSigned(expiredAt, node(0), signed(0, Signing.enter(address(0), expiredAt)));
        vm.assertTrue(info(node(0)).active);
    }

    // Signers

    function test_another_signer_does_not_match() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(1, Signing.enter(address(0), expiredAt));
        expectReason("signer not match");
        enterSigned(expiredAt, node(0), s);
    }

    function test_a_high_s_is_refused_by_its_own_words() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = Signing.malleate(signed(0, Signing.enter(address(0), expiredAt)));
        expectReason("Invalid signature S");
        enterSigned(expiredAt, node(0), s);
        s.s = HIGH_S;
        expectReason("Invalid signature S");
        enterSigned(expiredAt, node(0), s);
    }

    function test_signatures_that_recover_nobody_do_not_match() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(0, Signing.enter(address(0), expiredAt));
        uint8[4] memory wrong = [0, 1, 5, 255];
        for (uint256 i = 0; i < wrong.length; i++) {
            expectReason("signer not match");
            enterSigned(expiredAt, node(0), Signing.Signature(wrong[i], s.r, s.s));
        }
        expectReason("signer not match");
        enterSigned(expiredAt, address(0), Signing.Signature(27, 0, 0));
    }

    function testFuzz_changed_signatures_do_nothing(uint8 v, bytes32 r, bytes32 s) public {
        uint256 expiredAt = block.timestamp + 1 hours;
        vm.expectRevert();
        service.nodeEnterWithSignature(address(0), expiredAt, node(0), v, r, s);
    }

    // Every operation with a signature

    function test_all_four_operations_work_with_signatures_and_say_so() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        bytes32[4] memory messages = [
            Signing.enter(address(0), expiredAt),
            Signing.commission(500, expiredAt),
            Signing.claimer(address(0xC1A1), expiredAt),
            Signing.exit(expiredAt)
        ];
        for (uint256 i = 0; i < messages.length; i++) {
            Signing.Signature memory s = signed(0, messages[i]);
            bytes32 digest = Signing.digest(domain(), messages[i]);
            vm.assertFalse(service.usedDigest(digest, node(0)));
            vm.expectEmit(address(service));
            emit IVerifierService.OperationApplied(digest, node(0));
            if (i == 0) service.nodeEnterWithSignature(address(0), expiredAt, node(0), s.v, s.r, s.s);
            if (i == 1) service.nodeModifyCommissionRateWithSignature(500, expiredAt, node(0), s.v, s.r, s.s);
            if (i == 2) service.nodeSetRewardClaimerWithSignature(address(0xC1A1), expiredAt, node(0), s.v, s.r, s.s);
            if (i == 3) service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
            vm.assertTrue(service.usedDigest(digest, node(0)));
        }
        IVerifierService.NodeInfo memory after_ = info(node(0));
        vm.assertFalse(after_.active);
        vm.assertEq(after_.commissionRate, 500);
        vm.assertEq(after_.claimer, address(0xC1A1));
    }

    // Once

    /// A sender who could change the replaced node would choose who loses its place.
    function test_a_signed_entry_replaces_the_node_that_its_signer_named() public {
        ISettings.Rules memory rules = defaultRules();
        rules.maxActiveNodes = 2;
        deploy(rules);
        enterMany(2);
        license.mint(node(2), 2);
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(2, Signing.enter(node(1), expiredAt));
        expectReason("signer not match");
        service.nodeEnterWithSignature(node(0), expiredAt, node(2), s.v, s.r, s.s);
        service.nodeEnterWithSignature(node(1), expiredAt, node(2), s.v, s.r, s.s);
        vm.assertTrue(info(node(0)).active && !info(node(1)).active);
    }

    function test_a_claimer_can_be_changed_and_taken_back() public {
        address[3] memory claimers = [address(0xC1), address(0xC2), address(0)];
        enter(4, 1);
        for (uint256 i = 0; i < 3; i++) {
            uint256 expiredAt = block.timestamp + 1 hours;
            Signing.Signature memory s = signed(4, Signing.claimer(claimers[i], expiredAt));
            service.nodeSetRewardClaimerWithSignature(claimers[i], expiredAt, node(4), s.v, s.r, s.s);
            vm.assertEq(info(node(4)).claimer, claimers[i]);
        }
    }

    function test_a_signed_exit_cannot_be_replayed_after_entering_again() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        vm.prank(node(0));
        service.nodeEnter(address(0));
        exitSigned(0, expiredAt);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        Signing.Signature memory s = signed(0, Signing.exit(expiredAt));
        expectReason("Digest already used");
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        vm.assertTrue(info(node(0)).active);
    }

    function test_other_bytes_of_the_same_signature_do_not_replay_it() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        enterSigned(expiredAt, node(0), signed(0, Signing.enter(address(0), expiredAt)));
        vm.prank(node(0));
        service.nodeExit();
        Signing.Signature memory s = Signing.malleate(signed(0, Signing.enter(address(0), expiredAt)));
        expectReason("Invalid signature S");
        enterSigned(expiredAt, node(0), s);
    }

    function test_two_signers_may_sign_the_same_message() public {
        enter(1, 1);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        uint256 expiredAt = block.timestamp + 1 hours;
        exitSigned(0, expiredAt);
        exitSigned(1, expiredAt);
        vm.assertEq(service.activeNodeCount(), 0);
    }

    function test_a_message_that_failed_is_not_used_up() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(0, Signing.exit(expiredAt));
        expectReason("Already exit");
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        service.nodeExitWithSignature(expiredAt, node(0), s.v, s.r, s.s);
        vm.assertFalse(info(node(0)).active);
    }

    /// Messages work in any order of their expiry: none is refused because a later one was applied first.
    function testFuzz_a_fresh_message_is_never_refused_because_of_an_earlier_one(uint256 first, uint256 second) public {
        first = block.timestamp + (first % (6 hours + 1));
        second = block.timestamp + (second % (6 hours + 1));
        vm.assume(first != second);
        enter(1, 1);
        exitSigned(1, first);
        vm.prank(node(1));
        service.nodeEnter(address(0));
        exitSigned(1, second);
        vm.assertFalse(info(node(1)).active);
    }

    function test_a_deployment_with_another_version_takes_no_signatures_of_this_one() public {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(0, Signing.enter(address(0), expiredAt));
        enterSigned(expiredAt, node(0), s);
        IVerifierService next = deployService("verifierService", "1.0.0-2");
        expectReason("signer not match");
        next.nodeEnterWithSignature(address(0), expiredAt, node(0), s.v, s.r, s.s);
    }
}
