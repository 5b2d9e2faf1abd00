// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title What somebody tries who has one license and wants more votes, and what must not be lost by others' moves.
contract ScenariosTest is Harness {
    address private attacker;

    function setUp() public override {
        super.setUp();
        attacker = node(90);
        vm.warp((block.timestamp / 1 days + 1) * 1 days);
    }

    function cleared(address of_) private {
        vm.expectEmit(address(service));
        emit IVerifierService.NodeClear(of_);
    }

    function leftTheSet(address of_) private view {
        vm.assertFalse(info(of_).active);
        vm.assertEq(service.delegationWeights(of_), 0);
    }

    // A node without a license leaves the active set in the same step.

    function test_a_node_whose_license_is_undelegated_leaves_the_set() public {
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(1, node(0));
        enter(0, 0);
        cleared(node(0));
        vm.prank(attacker);
        service.undelegate(1);
        leftTheSet(node(0));
    }

    function test_a_node_whose_license_is_redelegated_leaves_the_set() public {
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(1, node(0));
        enter(0, 0);
        cleared(node(0));
        vm.prank(attacker);
        service.redelegate(1, node(1));
        leftTheSet(node(0));
        vm.assertEq(service.activeNodeCount(), 0);
    }

    function test_a_node_whose_held_license_is_transferred_leaves_the_set() public {
        enter(0, 1);
        enter(1, 1);
        cleared(node(0));
        vm.prank(node(0));
        license.transferFrom(node(0), attacker, 1);
        leftTheSet(node(0));
        vm.assertEq(info(node(1)).listIndex, 0);
    }

    function test_a_node_that_delegates_its_own_license_to_itself_stays() public {
        enter(0, 1);
        vm.prank(node(0));
        service.delegate(1, node(0));
        vm.assertTrue(info(node(0)).active);
        vm.prank(node(0));
        service.undelegate(1);
        vm.assertTrue(info(node(0)).active);
    }

    // One license backs one vote on an attestation.

    function test_one_license_that_hops_fills_no_active_set() public {
        enterInTurn(30);
        vm.assertEq(service.activeNodeCount(), 4);
    }

    /// Nine nodes enter in turn with the one license; during the window each votes when the license is with it.
    function test_one_license_that_hops_during_the_window_backs_one_vote() public {
        enterInTurn(19);
        bytes32 attestationID = openAttestation();
        uint32[] memory chosen = chosenOf(attestationID);
        for (uint256 operator = 10; operator < 18; operator++) {
            hopTo(operator);
            for (uint32 index = 0; index < chosen.length; index++) {
                vm.prank(node(operator));
                // The attacker tries every index. The service refuses a node that was not chosen.
                try service.nodeReportVerification(attestationID, index, 2) {} catch {}
            }
        }
        hopTo(18);
        if (service.attestations(attestationID).malicious == 0) report(node(18), attestationID, 2);
        for (uint256 operator = 0; operator < 3; operator++) report(node(operator), attestationID, 0);
        passDeadline(attestationID);
        vm.assertEq(service.attestations(attestationID).malicious, 1);
        (bool decided, uint8 result) = service.verdict(attestationID);
        vm.assertTrue(decided);
        vm.assertEq(result, 0);
    }

    /// @dev Three honest nodes, then the operators from 10 up to `end`, each with the attacker's one license.
    function enterInTurn(uint256 end) private {
        enterMany(3);
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(4, node(10));
        enter(10, 0);
        for (uint256 operator = 11; operator < end; operator++) {
            hopTo(operator);
            enter(operator, 0);
        }
    }

    function hopTo(uint256 operator) private {
        vm.prank(attacker);
        service.redelegate(4, node(operator));
    }

    // A delegator cannot take a chosen node's vote away, nor have it thrown out.

    function test_a_chosen_node_reports_although_its_license_went_during_the_window() public {
        enterMany(2);
        license.mint(attacker, 1);
        vm.prank(attacker);
        service.delegate(3, node(5));
        enter(5, 0);
        bytes32 attestationID = openAttestation();
        vm.prank(attacker);
        service.undelegate(3);
        report(node(5), attestationID, 0);
        vm.assertEq(service.attestations(attestationID).valid, 1);
        passDeadline(attestationID);
        uint32 index = indexOf(attestationID, node(5));
        expectReason("Not to be slashed");
        service.nodeSlash(node(5), attestationID, index);
        vm.assertEq(info(node(5)).missed, 0);
    }

    // Leaving excuses no missed report.

    function test_a_chosen_node_that_exits_and_enters_again_has_missed_its_report() public {
        enterMany(2);
        bytes32 attestationID = openAttestation();
        uint32 index = indexOf(attestationID, node(0));
        vm.prank(node(0));
        service.nodeExit();
        vm.warp(block.timestamp + 1);
        vm.prank(node(0));
        service.nodeEnter(address(0));
        passDeadline(attestationID);
        service.nodeSlash(node(0), attestationID, index);
        vm.assertEq(info(node(0)).missed, 1);
        bytes32 next = openAttestation();
        index = indexOf(next, node(0));
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        passDeadline(next);
        cleared(node(0));
        service.nodeSlash(node(0), next, index);
        vm.assertFalse(info(node(0)).active);
    }

    function test_a_chosen_node_that_left_for_good_is_still_slashed() public {
        enterMany(2);
        bytes32 attestationID = openAttestation();
        uint32 index = indexOf(attestationID, node(0));
        vm.prank(node(0));
        service.nodeExit();
        passDeadline(attestationID);
        service.nodeSlash(node(0), attestationID, index);
        vm.assertEq(info(node(0)).missed, 1);
    }

    // A day in which a node was active for long enough is credited, however the node leaves.

    function test_a_node_that_exits_after_its_hours_earns_the_day() public {
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeDailyActive(node(0), service.currentDate());
        vm.prank(node(0));
        service.nodeExit();
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(1), DAILY_REWARD);
    }

    function test_a_node_that_is_replaced_after_its_hours_earns_the_day() public {
        deploySmallSet();
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours);
        license.mint(node(1), 2);
        vm.prank(node(1));
        service.nodeEnter(node(0));
        vm.assertFalse(info(node(0)).active);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(1), DAILY_REWARD);
    }

    function test_a_node_that_leaves_before_its_hours_or_a_second_time_earns_nothing_more() public {
        enter(0, 1);
        vm.warp(block.timestamp + 6 hours - 1);
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        vm.warp(block.timestamp + 6 hours);
        vm.prank(node(0));
        service.nodeExit();
        vm.prank(node(0));
        service.nodeEnter(address(0));
        vm.warp(block.timestamp + 6 hours);
        vm.warp((block.timestamp / 1 days + 1) * 1 days + 6 hours - 1);
        vm.prank(node(0));
        service.nodeExit();
        vm.assertEq(pool.reserved(), DAILY_REWARD);
    }

    // A verdict needs a quorum of the chosen.

    function assertVerdict(bytes32 attestationID, bool decided, uint8 result) private view {
        (bool decided_, uint8 result_) = service.verdict(attestationID);
        vm.assertEq(decided_ ? 1 : 0, decided ? 1 : 0, "decided");
        vm.assertEq(result_, result, "result");
    }

    function concluded(bytes32 attestationID, IVerifierService.AttestationState state, uint256 votes, uint256 needed) private {
        vm.expectEmit(address(service));
        emit IVerifierService.AttestationConcluded(attestationID, state, votes, needed);
        vm.prank(node(77));
        service.concludeAttestation(attestationID);
    }

    function test_one_vote_of_four_chosen_is_no_verdict_and_an_event_says_so() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        assertVerdict(attestationID, false, 0);
        concluded(attestationID, IVerifierService.AttestationState.NoVerdict, 1, 3);
    }

    function test_half_of_the_chosen_is_below_the_quorum_and_one_more_reaches_it() public {
        enterMany(4);
        bytes32 half = openAttestation();
        bytes32 more = openAttestation();
        for (uint256 operator = 0; operator < 3; operator++) {
            if (operator < 2) report(node(operator), half, 1);
            report(node(operator), more, 1);
        }
        passDeadline(more);
        assertVerdict(half, false, 0);
        assertVerdict(more, true, 1);
        concluded(half, IVerifierService.AttestationState.NoVerdict, 2, 3);
        concluded(more, IVerifierService.AttestationState.Invalid, 3, 3);
    }

    /// Against a count of its own: the verdict that follows from votes, quorum and the number of the chosen.
    function testFuzz_a_verdict_needs_the_quorum_and_a_majority(uint8 nodes, uint16 quorum, uint256 votes) public {
        ISettings.VerdictRules memory rules = defaultVerdictRules();
        rules.quorum = quorum % 9_999 + 1;
        settings.setVerdictRules(rules);
        uint256 chosen = uint256(nodes) % 12 + 1;
        enterMany(chosen);
        bytes32 attestationID = openAttestation();
        uint256[4] memory counts;
        for (uint256 operator = 0; operator < chosen; operator++) {
            uint8 vote = uint8((votes >> (operator * 2)) & 3);
            counts[vote]++;
            if (vote < 3) report(node(operator), attestationID, vote);
        }
        passDeadline(attestationID);
        uint256 cast = chosen - counts[3];
        (bool decided, uint8 result) = service.verdict(attestationID);
        bool reached = cast * 10_000 > chosen * rules.quorum;
        bool expected = reached && (counts[0] * 2 > cast || counts[1] * 2 > cast || counts[2] * 2 > cast);
        vm.assertEq(decided ? 1 : 0, expected ? 1 : 0);
        if (decided) vm.assertTrue(counts[result] * 2 > cast);
        vm.assertTrue(service.attestationState(attestationID) >= IVerifierService.AttestationState.Valid);
    }

    function test_an_attestation_is_concluded_once_and_not_before_its_deadline() public {
        enterMany(1);
        expectReason("Attestation not exist");
        service.concludeAttestation(keccak256("unknown"));
        bytes32 attestationID = reportAttestation();
        expectReason("Waiting vrf");
        service.concludeAttestation(attestationID);
        randomness.fulfill(1);
        report(node(0), attestationID, 0);
        vm.warp(service.attestations(attestationID).deadline);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Open);
        expectReason("Deadline not passed");
        service.concludeAttestation(attestationID);
        vm.warp(block.timestamp + 1);
        concluded(attestationID, IVerifierService.AttestationState.Valid, 1, 1);
        vm.recordLogs();
        service.concludeAttestation(attestationID);
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_a_changed_quorum_leaves_chosen_attestations_alone() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        ISettings.VerdictRules memory rules = defaultVerdictRules();
        rules.quorum = 1;
        settings.setVerdictRules(rules);
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        assertVerdict(attestationID, false, 0);
        vm.assertEq(service.votesNeeded(attestationID), 3);
    }

    function test_a_missed_report_that_is_slashed_says_how_the_attestation_ended() public {
        enterMany(4);
        bytes32 attestationID = openAttestation();
        report(node(0), attestationID, 2);
        passDeadline(attestationID);
        vm.expectEmit(address(service));
        emit IVerifierService.AttestationConcluded(attestationID, IVerifierService.AttestationState.NoVerdict, 1, 3);
        service.nodeSlash(node(1), attestationID, indexOf(attestationID, node(1)));
        vm.recordLogs();
        service.nodeSlash(node(2), attestationID, indexOf(attestationID, node(2)));
        vm.assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_nobody_chosen_is_no_verdict() public {
        bytes32 attestationID = openAttestation();
        passDeadline(attestationID);
        concluded(attestationID, IVerifierService.AttestationState.NoVerdict, 0, 1);
    }

    // A vote against the verdict is slashed by a role alone, after a delay in which it can be disputed.

    /// @dev Node 3 of four votes against the verdict of the others.
    function contradict() private returns (bytes32 attestationID, uint32 index) {
        enterMany(4);
        attestationID = openAttestation();
        for (uint256 operator = 0; operator < 3; operator++) report(node(operator), attestationID, 2);
        report(node(3), attestationID, 0);
        passDeadline(attestationID);
        index = indexOf(attestationID, node(3));
    }

    function test_nobody_but_the_slasher_slashes_a_vote_against_the_verdict() public {
        (bytes32 attestationID, uint32 index) = contradict();
        address[4] memory callers = [address(this), attacker, SLASHER, ARBITER];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.prank(callers[i]);
            try service.nodeSlash(node(3), attestationID, index) {
                revert("the vote was slashed");
            } catch {}
        }
        expectReason("Not slasher");
        service.nodeSlash(node(3), attestationID, index);
        vm.assertEq(info(node(3)).missed, 0);
    }

    function test_an_undisputed_proposal_is_carried_out_after_the_delay() public {
        (bytes32 attestationID, uint32 index) = contradict();
        vm.prank(SLASHER);
        slasher.propose(attestationID, index);
        vm.warp(block.timestamp + 3 days - 1);
        vm.prank(SLASHER);
        vm.expectRevert();
        slasher.execute(attestationID, index);
        vm.warp(block.timestamp + 1);
        vm.expectEmit(address(service));
        emit IVerifierService.NodeSlash(address(slasher), node(3), attestationID, 0);
        vm.prank(SLASHER);
        slasher.execute(attestationID, index);
    }

    function test_a_disputed_proposal_waits_for_an_arbiter() public {
        (bytes32 attestationID, uint32 index) = contradict();
        vm.prank(SLASHER);
        slasher.propose(attestationID, index);
        vm.prank(node(3));
        slasher.dispute(attestationID, index);
        vm.warp(block.timestamp + 30 days);
        vm.prank(SLASHER);
        vm.expectRevert();
        slasher.execute(attestationID, index);
        vm.prank(ARBITER);
        slasher.resolve(attestationID, index, false);
        vm.prank(SLASHER);
        vm.expectRevert();
        slasher.propose(attestationID, index);
    }

    // Randomness that never comes.

    function test_randomness_is_asked_for_again_after_a_while_by_anybody() public {
        enterMany(2);
        bytes32 attestationID = reportAttestation();
        vm.warp(block.timestamp + 10 minutes - 1);
        expectReason("Asked recently");
        service.requestRandomnessAgain(1);
        vm.warp(block.timestamp + 1);
        vm.expectEmit(address(service));
        emit IVerifierService.RandomnessRequestedAgain(1, 2);
        vm.prank(attacker);
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
            if (chance % 3 == 1) try service.requestRandomnessAgain((chance >> 8) % last + 1) {} catch {}
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

    function test_an_attestation_without_randomness_ends() public {
        enterMany(2);
        bytes32 attestationID = reportAttestation();
        vm.warp(block.timestamp + 1 days);
        vm.assertTrue(service.attestationState(attestationID) == IVerifierService.AttestationState.Waiting);
        vm.warp(block.timestamp + 1);
        expectReason("Not waiting vrf");
        service.requestRandomnessAgain(1);
        ignored(1);
        concluded(attestationID, IVerifierService.AttestationState.Unselected, 0, 0);
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

    // A changed setting takes effect after a delay.

    function test_a_changed_setting_takes_effect_after_the_delay_that_its_event_names() public {
        settings = makeSettings(defaultRules(), 2 days);
        ISettings.Rules memory rules = defaultRules();
        rules.reportWindow = 90;
        uint256 effectiveAt = block.timestamp + 2 days;
        vm.expectEmit(address(settings));
        emit ISettings.RulesAnnounced(rules, effectiveAt);
        settings.setRules(rules);
        vm.warp(effectiveAt - 1);
        vm.assertEq(settings.rules().reportWindow, 30 minutes);
        vm.warp(effectiveAt);
        vm.assertEq(settings.rules().reportWindow, 90);
    }

    // A license earns a day only with the hours that a node needs.

    /// @dev Node 0 is active with license 1; license 2 is the attacker's, and comes so many seconds before the day's end.
    function delegateBeforeDayEnds(uint256 left, bool creditedBefore) private {
        enter(0, 1);
        license.mint(attacker, 1);
        if (creditedBefore) {
            vm.warp(block.timestamp + 6 hours);
            service.nodeReportDailyActive(node(0));
        }
        vm.warp((block.timestamp / 1 days + 1) * 1 days - left);
        vm.prank(attacker);
        service.delegate(2, node(0));
        if (!creditedBefore) service.nodeReportDailyActive(node(0));
    }

    function test_a_license_that_comes_in_the_last_second_does_not_earn_the_day() public {
        delegateBeforeDayEnds(1, true);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(2), 0);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
    }

    function test_a_license_that_comes_in_the_last_second_before_the_credit_does_not_earn_the_day() public {
        delegateBeforeDayEnds(1, false);
        vm.assertEq(service.globalDailyActiveNodes(service.currentDate()), 1);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(2), 0);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD);
    }

    function test_a_license_earns_the_day_that_leaves_it_the_hours_and_every_later_day() public {
        uint256 start = vm.snapshotState();
        delegateBeforeDayEnds(6 hours, true);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(2), DAILY_REWARD / 2);
        vm.revertToState(start);
        delegateBeforeDayEnds(6 hours - 1, true);
        vm.warp(block.timestamp + 12 hours);
        service.nodeReportDailyActive(node(0));
        vm.assertEq(claimed(2), 0);
        vm.warp(block.timestamp + 1 days);
        vm.assertEq(claimed(2), DAILY_REWARD / 2);
        vm.assertEq(service.claimableRewards(1), DAILY_REWARD + DAILY_REWARD / 2);
    }

    function test_a_late_license_that_leaves_again_takes_nothing_from_the_day() public {
        delegateBeforeDayEnds(2, true);
        vm.warp(block.timestamp + 1);
        vm.prank(attacker);
        service.redelegate(2, node(1));
        vm.assertEq(service.nodeDailyActive(node(0), service.currentDate()), 1);
        vm.warp(block.timestamp + 1);
        vm.assertEq(claimed(1), DAILY_REWARD);
        vm.assertEq(service.claimableRewards(2), 0);
        vm.prank(node(0));
        service.claimRewards(1);
        vm.assertEq(pool.reserved(), 0);
    }

    function claimed(uint256 tokenID) private returns (uint256) {
        service.confirmNodeRewards(node(0));
        return service.claimableRewards(tokenID);
    }

    function deploySmallSet() private {
        ISettings.Rules memory rules = defaultRules();
        rules.maxActiveNodes = 1;
        deploy(rules);
    }
}
