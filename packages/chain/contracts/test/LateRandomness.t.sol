// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title Random words that come late, twice or never.
contract LateRandomnessTest is Harness {
    function test_randomness_is_asked_for_again_after_a_while_by_anybody() public {
        enterMany(2);
        bytes32 attestationID = reportAttestation();
        vm.warp(block.timestamp + 10 minutes - 1);
        expectReason("Asked recently");
        service.requestRandomnessAgain(1);
        vm.warp(block.timestamp + 1);
        vm.expectEmit(address(service));
        emit IVerifierService.RandomnessRequestedAgain(1, 2);
        vm.prank(node(90));
        service.requestRandomnessAgain(1);
        expectReason("Asked recently");
        service.requestRandomnessAgain(1);
        vm.warp(block.timestamp + 10 minutes);
        vm.expectEmit(address(service));
        emit IVerifierService.RandomnessRequestedAgain(1, 3);
        service.requestRandomnessAgain(2);
        // Nodes join the choice with the attestation by the request that they were told first.
        vm.expectEmit(address(service));
        emit IVerifierService.ConfirmVrfNodes(1, chosenAll(2), block.timestamp + 30 minutes);
        randomness.fulfill(3);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Open);
        expectReason("Not waiting vrf");
        service.requestRandomnessAgain(1);
    }

    function test_an_answer_to_an_earlier_request_has_no_effect() public {
        enterMany(2);
        bytes32 attestationID = reportAttestation();
        vm.warp(block.timestamp + 10 minutes);
        service.requestRandomnessAgain(1);
        ignored(1);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Waiting);
        randomness.fulfill(2);
        uint256 deadline = service.attestations(attestationID).deadline;
        vm.assertEq(deadline, block.timestamp + 30 minutes);
        // Nor does any answer after the choice.
        vm.warp(block.timestamp + 1);
        vm.prank(address(randomness));
        IRandomnessConsumer(address(service)).fulfillRandomness(1, 7);
        vm.assertEq(service.attestations(attestationID).deadline, deadline);
    }

    /// Whatever the order of waiting, asking and answering: nodes are chosen once, by the answer to the last request, under the first
    /// request's number, and never after the time is over.
    function testFuzz_only_the_last_answer_in_time_chooses(uint256 steps) public {
        enterMany(1);
        bytes32 attestationID = reportAttestation();
        uint256 expiresAt = block.timestamp + 1 days;
        uint256 chosenAt = 0;
        bool[60] memory answered;
        for (uint256 i = 0; i < 50; i++) {
            uint256 chance = uint256(keccak256(abi.encode(steps, i)));
            uint256 last = randomness.lastRequestId();
            if (chance % 3 == 0) vm.warp(block.timestamp + (chance >> 8) % 2 hours);
            if (chance % 3 == 1) askAgain((chance >> 8) % last + 1);
            if (chance % 3 != 2) continue;
            uint256 requestID = chance % 5 == 0 ? last : (chance >> 8) % last + 1;
            if (answered[requestID]) continue;
            answered[requestID] = true;
            randomness.fulfill(requestID);
            if (chosenAt == 0 && requestID == last && block.timestamp <= expiresAt) chosenAt = block.timestamp;
            vm.assertEq(service.attestations(attestationID).deadline, chosenAt == 0 ? 0 : chosenAt + 30 minutes);
        }
        vm.warp(block.timestamp + 2 days);
        bool isUnselected = service.attestationState(attestationID) == IVerifierService.AttestationState.Unselected;
        vm.assertTrue(isUnselected == (chosenAt == 0));
        service.concludeAttestation(attestationID);
    }

    /// @dev Asking comes to nothing only for the two reasons that the interface names.
    function askAgain(uint256 requestID) private {
        try service.requestRandomnessAgain(requestID) {}
        catch Error(string memory reason) {
            bytes32 hash = keccak256(bytes(reason));
            vm.assertTrue(hash == keccak256("Asked recently") || hash == keccak256("Not waiting vrf"), reason);
        }
    }

    function test_an_attestation_without_randomness_ends() public {
        enterMany(2);
        bytes32 attestationID = reportAttestation();
        vm.warp(block.timestamp + 1 days);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Waiting);
        vm.warp(block.timestamp + 1);
        expectReason("Not waiting vrf");
        service.requestRandomnessAgain(1);
        ignored(1);
        concludes(attestationID, IVerifierService.AttestationState.Unselected, 0, 0);
        assertVerdict(attestationID, false, 0);
        vm.assertEq(service.attestations(attestationID).deadline, 0);
    }

    function test_only_a_request_that_was_made_is_made_again() public {
        expectReason("Not waiting vrf");
        service.requestRandomnessAgain(0);
        expectReason("Not waiting vrf");
        service.requestRandomnessAgain(5);
    }

    function ignored(uint256 requestID) private {
        vm.expectEmit(address(service));
        emit IVerifierService.RandomnessIgnored(requestID);
        randomness.fulfill(requestID);
    }

    function chosenAll(uint32 count) private pure returns (uint32[] memory ids) {
        ids = new uint32[](count);
        for (uint32 i = 0; i < count; i++) ids[i] = i + 1;
    }
}
