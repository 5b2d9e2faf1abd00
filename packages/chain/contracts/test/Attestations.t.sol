// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {ILocalRandomness, IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

contract AttestationsTest is Harness {
    function consumer() private view returns (IRandomnessConsumer) {
        return IRandomnessConsumer(address(service));
    }

    function texts(string memory first, string memory second) private pure returns (string[] memory list) {
        list = new string[](2);
        list[0] = first;
        list[1] = second;
    }

    function test_only_a_tee_reports_attestations() public {
        expectReason("Not tee");
        vm.prank(node(0));
        service.teeReportAttestations(texts("a", "b"));
        vm.expectEmit(address(service));
        emit IVerifierService.TeeChanged(node(0), true);
        service.setTee(node(0), true);
        vm.prank(node(0));
        service.teeReportAttestations(texts("a", "b"));
        service.setTee(node(0), false);
        expectReason("Not tee");
        vm.prank(node(0));
        service.teeReportAttestations(texts("c", "d"));
    }

    function test_only_the_owner_names_tees() public {
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", node(0)));
        vm.prank(node(0));
        service.setTee(node(0), true);
    }

    function test_ids_are_the_hashes_of_the_texts() public {
        bytes32[] memory ids = new bytes32[](2);
        ids[0] = keccak256("first");
        ids[1] = keccak256("second");
        vm.expectEmit(address(service));
        emit IVerifierService.TeeReportAttestations(address(this), ids, texts("first", "second"), 1);
        service.teeReportAttestations(texts("first", "second"));
        vm.assertEq(service.attestations(ids[0]).reporter, address(this));
        vm.assertEq(service.attestations(ids[1]).vrfChosenID, 1);
        vm.assertEq(service.attestations(ids[1]).deadline, 0);
    }

    function test_an_attestation_is_reported_once_and_never_empty() public {
        service.teeReportAttestations(texts("a", "b"));
        expectReason("Attestation already exist");
        service.teeReportAttestations(texts("c", "b"));
        expectReason("Attestation already exist");
        service.teeReportAttestations(texts("d", "d"));
        expectReason("No attestations");
        service.teeReportAttestations(new string[](0));
    }

    function test_only_the_source_answers_and_only_once() public {
        reportAttestation();
        expectReason("Not randomness source");
        consumer().fulfillRandomness(1, 5);
        ignored(2);
        randomness.fulfill(1);
        vm.expectRevert(abi.encodeWithSelector(ILocalRandomness.NoSuchRequest.selector, 1));
        randomness.fulfill(1);
        ignored(1);
    }

    function ignored(uint256 requestID) private {
        vm.expectEmit(address(service));
        emit IVerifierService.RandomnessIgnored(requestID);
        vm.prank(address(randomness));
        consumer().fulfillRandomness(requestID, 5);
    }

    function test_a_small_set_is_chosen_whole_with_a_deadline() public {
        enterMany(3);
        bytes32 attestationID = reportAttestation();
        uint32[] memory all = new uint32[](3);
        (all[0], all[1], all[2]) = (1, 2, 3);
        vm.expectEmit(address(service));
        emit IVerifierService.ConfirmVrfNodes(1, all, block.timestamp + 30 minutes);
        randomness.fulfill(1);
        vm.assertEq(service.attestations(attestationID).deadline, block.timestamp + 30 minutes);
        vm.assertEq(service.vrfChosenMap(1, 2), 3);
        vm.expectRevert();
        service.vrfChosenMap(1, 3);
    }

    function test_an_empty_set_is_no_obstacle() public {
        bytes32 attestationID = openAttestation();
        vm.assertEq(chosenOf(attestationID).length, 0);
    }

    function test_attestations_of_one_call_share_their_nodes() public {
        enterMany(2);
        service.teeReportAttestations(texts("a", "b"));
        randomness.fulfill(1);
        vm.assertEq(service.attestations(keccak256("a")).vrfChosenID, service.attestations(keccak256("b")).vrfChosenID);
        vm.assertEq(service.attestations(keccak256("a")).deadline, service.attestations(keccak256("b")).deadline);
    }

    /// Every chosen id is active and chosen once, whatever the word, the size of the set and the number to choose.
    function testFuzz_a_choice_holds_active_nodes_once_each(uint256 word, uint8 size, uint8 most) public {
        uint256 count = uint256(size) % 60;
        ISettings.Rules memory rules = defaultRules();
        rules.maxChosenNodes = uint16(most) % 40 + 1;
        settings.setRules(rules);
        enterMany(count);
        bytes32 attestationID = reportAttestation();
        vm.prank(address(randomness));
        consumer().fulfillRandomness(1, word);
        uint32[] memory chosen = chosenOf(attestationID);
        vm.assertEq(chosen.length, count < rules.maxChosenNodes ? count : rules.maxChosenNodes);
        bool[] memory seen = new bool[](count + 1);
        for (uint256 i = 0; i < chosen.length; i++) {
            vm.assertTrue(chosen[i] >= 1 && chosen[i] <= count && !seen[chosen[i]]);
            seen[chosen[i]] = true;
        }
    }

    /// Each of 5 nodes is chosen about as often as the others: 2 of 5 in 1000 draws, 400 times expected, with a standard
    /// deviation of 15.5; 322 to 478 is five of them.
    function test_every_node_has_the_same_chance() public {
        ISettings.Rules memory rules = defaultRules();
        rules.maxChosenNodes = 2;
        settings.setRules(rules);
        enterMany(5);
        uint256[6] memory times;
        for (uint256 draw = 0; draw < 1_000; draw++) {
            uint32[] memory chosen = chosenOf(openAttestation());
            for (uint256 i = 0; i < 2; i++) times[chosen[i]]++;
        }
        for (uint256 id = 1; id <= 5; id++) vm.assertTrue(times[id] > 322 && times[id] < 478);
    }
}
