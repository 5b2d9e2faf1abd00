// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IMulticall3} from "../solidity/interfaces/IMulticall3.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Deployed} from "./support/Deployed.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

contract MulticallTest is Harness {
    function reason(string memory text) private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", text);
    }

    function enterCall(uint256 operator) private view returns (bytes memory) {
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature memory s = signed(operator, Signing.enter(address(0), expiredAt));
        return abi.encodeCall(
            IVerifierService.nodeEnterWithSignature, (address(0), expiredAt, node(operator), s.v, s.r, s.s)
        );
    }

    function test_this_contract_says_that_it_isolates() public view {
        vm.assertTrue(service.supportsIsolation());
    }

    function test_a_failing_call_leaves_the_others_alone_and_says_why() public {
        license.mint(node(0), 1);
        license.mint(node(2), 1);
        bytes[] memory calls = new bytes[](5);
        calls[0] = enterCall(0);
        calls[1] = enterCall(1);
        calls[2] = hex"deadbeef";
        calls[3] = enterCall(2);
        calls[4] = calls[0];
        vm.expectEmit(address(service));
        emit IVerifierService.CallFailed(1, reason("No delegationWeights"));
        vm.expectEmit(address(service));
        emit IVerifierService.CallFailed(2, "");
        vm.expectEmit(address(service));
        emit IVerifierService.CallFailed(4, reason("Digest already used"));
        service.multicall(calls);
        vm.assertEq(service.activeNodeCount(), 2);
    }

    function test_all_five_operations_mix() public {
        enterMany(3);
        bytes32 attestationID = openAttestation();
        license.mint(node(3), 1);
        uint256 expiredAt = block.timestamp + 1 hours;
        Signing.Signature[3] memory s = [
            signed(0, Signing.commission(300, expiredAt)),
            signed(1, Signing.claimer(address(7), expiredAt)),
            signed(2, Signing.exit(expiredAt))
        ];
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](2);
        infos[0] = signedReport(0, attestationID, 0);
        infos[1] = signedReport(1, attestationID, 0);
        bytes[] memory calls = new bytes[](5);
        calls[0] = enterCall(3);
        calls[1] = abi.encodeCall(
            IVerifierService.nodeModifyCommissionRateWithSignature, (300, expiredAt, node(0), s[0].v, s[0].r, s[0].s)
        );
        calls[2] = abi.encodeCall(
            IVerifierService.nodeSetRewardClaimerWithSignature, (address(7), expiredAt, node(1), s[1].v, s[1].r, s[1].s)
        );
        calls[3] = abi.encodeCall(IVerifierService.nodeExitWithSignature, (expiredAt, node(2), s[2].v, s[2].r, s[2].s));
        calls[4] = abi.encodeCall(IVerifierService.nodeReportVerificationBatch, (attestationID, infos));
        service.multicall(calls);
        vm.assertTrue(info(node(3)).active);
        vm.assertEq(info(node(0)).commissionRate, 300);
        vm.assertEq(info(node(1)).claimer, address(7));
        vm.assertFalse(info(node(2)).active);
        vm.assertEq(service.attestations(attestationID).valid, 2);
    }

    function test_answers_come_back_in_order_and_empty_for_failures() public {
        license.mint(node(0), 4);
        bytes[] memory calls = new bytes[](2);
        calls[0] = abi.encodeCall(IVerifierService.nodeExit, ());
        calls[1] = abi.encodeCall(IVerifierService.delegationWeights, (node(0)));
        bytes[] memory answers = service.multicall(calls);
        vm.assertEq(answers[0], "");
        vm.assertEq(abi.decode(answers[1], (uint256)), 4);
    }

    function test_calls_keep_their_sender() public {
        license.mint(node(0), 1);
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IVerifierService.nodeEnter, (address(0)));
        vm.prank(node(0));
        service.multicall(calls);
        vm.assertTrue(info(node(0)).active);
    }

    // The general one, for services that do not isolate

    function test_multicall3_lets_a_call_fail_where_that_is_allowed() public {
        IMulticall3 multicall3 = IMulticall3(Deployed.create("multicall3", ""));
        license.mint(node(0), 1);
        IMulticall3.Call3[] memory calls = new IMulticall3.Call3[](2);
        calls[0] = IMulticall3.Call3(address(service), true, enterCall(1));
        calls[1] = IMulticall3.Call3(address(service), false, enterCall(0));
        IMulticall3.Result[] memory results = multicall3.aggregate3(calls);
        vm.assertFalse(results[0].success);
        vm.assertEq(results[0].returnData, reason("No delegationWeights"));
        vm.assertTrue(results[1].success);
        vm.assertTrue(info(node(0)).active);
    }

    function test_multicall3_undoes_everything_when_a_call_may_not_fail() public {
        IMulticall3 multicall3 = IMulticall3(Deployed.create("multicall3", ""));
        license.mint(node(0), 1);
        IMulticall3.Call3[] memory calls = new IMulticall3.Call3[](2);
        calls[0] = IMulticall3.Call3(address(service), true, enterCall(0));
        calls[1] = IMulticall3.Call3(address(service), false, enterCall(1));
        expectReason("Multicall3: call failed");
        multicall3.aggregate3(calls);
        vm.assertFalse(info(node(0)).active);
    }
}
