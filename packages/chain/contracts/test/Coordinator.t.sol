// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ICoordinatorRandomness} from "../coordinator/ICoordinatorRandomness.sol";
import {IVrfConsumer, IVrfCoordinator} from "../coordinator/IVrfCoordinator.sol";
import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {ILicense} from "../solidity/interfaces/ILicense.sol";
import {ILocalRandomness, IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {IRewardPool} from "../solidity/interfaces/IRewardPool.sol";
import {Deployed} from "./support/Deployed.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

interface ILocalCoordinator is IVrfCoordinator {
    event RandomWordsFulfilled(uint256 indexed requestId, bool success);

    error TooEarly(uint256 earliestBlock);

    function createSubscription() external returns (uint256 subId);
    function addConsumer(uint256 subId, address consumer) external;
    function fulfill(uint256 requestId) external;
    function repeat(uint256 requestId) external;
    function lastRequestID() external view returns (uint256);
}

/// @title A coordinator that gives the same id twice.
contract RepeatingCoordinator {
    uint256 private immutable _id;

    constructor(uint256 id) {
        _id = id;
    }

    function requestRandomWords(IVrfCoordinator.RandomWordsRequest calldata) external view returns (uint256) {
        return _id;
    }

    function answer(IVrfConsumer consumer, uint256 words) external {
        consumer.rawFulfillRandomWords(_id, new uint256[](words));
    }
}

/// @title Words from a coordinator that answers late, never, twice, with too little gas, or is somebody else.
contract CoordinatorTest is Harness {
    uint16 private constant CONFIRMATIONS = 3;
    uint32 private constant CALLBACK_GAS = 2_500_000;

    ILocalCoordinator private coordinator;
    ICoordinatorRandomness private adapter;

    function setUp() public override {
        super.setUp();
        coordinator = ILocalCoordinator(Deployed.create("localCoordinator", ""));
        coordinator.createSubscription();
        adapter = ICoordinatorRandomness(Deployed.create("coordinatorRandomness", abi.encode(sourceOf(address(coordinator), CALLBACK_GAS))));
        coordinator.addConsumer(1, address(adapter));
        license = ILicense(Deployed.create("license", abi.encode("License", "LIC")));
        pool = IRewardPool(Deployed.create("rewardPool", abi.encode(token)));
        randomness = ILocalRandomness(address(adapter));
        service = deployService("verifierService", "2");
        license.setService(address(service));
        pool.setService(address(service));
        service.setTee(address(this), true);
        adapter.setConsumer(address(service));
        enterMany(3);
    }

    function sourceOf(address from, uint32 callbackGas) private pure returns (ICoordinatorRandomness.Source memory) {
        return ICoordinatorRandomness.Source(from, 1, keccak256("key"), CONFIRMATIONS, callbackGas, true);
    }

    /// @notice Reports an attestation and says what the coordinator calls its request.
    function ask() private returns (bytes32 attestationID, uint256 requestId) {
        attestationID = reportAttestation();
        requestId = uint256(keccak256(abi.encode(address(coordinator), coordinator.lastRequestID())));
    }

    function isState(uint256 requestId, ICoordinatorRandomness.State state) private view {
        vm.assertEq(uint256(adapter.states(requestId)), uint256(state));
    }

    function expectWrongState(uint256 requestId, ICoordinatorRandomness.State state) private {
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.WrongState.selector, requestId, state));
    }

    function test_the_functions_are_those_of_the_field() public pure {
        vm.assertEq(bytes32(IVrfCoordinator.requestRandomWords.selector), bytes32(hex"9b1c385e"));
        vm.assertEq(bytes32(IVrfConsumer.rawFulfillRandomWords.selector), bytes32(hex"1fe543e3"));
    }

    function test_what_is_asked_says_who_pays_and_how() public {
        IVrfCoordinator.RandomWordsRequest memory request = IVrfCoordinator.RandomWordsRequest({
            keyHash: keccak256("key"),
            subId: 1,
            requestConfirmations: CONFIRMATIONS,
            callbackGasLimit: CALLBACK_GAS,
            numWords: 1,
            // The tag of the field's extra arguments, then: in the chain's own coin.
            extraArgs: abi.encodePacked(hex"92fd1338", uint256(1))
        });
        vm.expectCall(address(coordinator), abi.encodeCall(IVrfCoordinator.requestRandomWords, (request)));
        ask();
    }

    function test_a_late_answer_chooses() public {
        (bytes32 attestationID, uint256 requestId) = ask();
        vm.expectRevert(abi.encodeWithSelector(ILocalCoordinator.TooEarly.selector, block.number + CONFIRMATIONS));
        coordinator.fulfill(requestId);
        vm.roll(block.number + 1_000);
        vm.expectEmit(address(adapter));
        emit ICoordinatorRandomness.RandomnessDelivered(requestId);
        coordinator.fulfill(requestId);
        vm.assertEq(chosenOf(attestationID).length, 3);
        isState(requestId, ICoordinatorRandomness.State.Delivered);
    }

    function test_no_answer_chooses_nobody_and_stops_no_other() public {
        (bytes32 forgotten, uint256 forgottenRequest) = ask();
        (bytes32 attestationID, uint256 requestId) = ask();
        vm.roll(block.number + CONFIRMATIONS);
        coordinator.fulfill(requestId);
        vm.assertEq(chosenOf(attestationID).length, 3);
        vm.assertEq(chosenOf(forgotten).length, 0);
        isState(forgottenRequest, ICoordinatorRandomness.State.Asked);
        expectWrongState(forgottenRequest, ICoordinatorRandomness.State.Asked);
        adapter.deliver(forgottenRequest);
    }

    function test_a_second_answer_counts_nowhere() public {
        (bytes32 attestationID, uint256 requestId) = ask();
        vm.roll(block.number + CONFIRMATIONS);
        coordinator.fulfill(requestId);
        uint256 deadline = service.attestations(attestationID).deadline;
        vm.warp(block.timestamp + 60);
        vm.expectEmit(address(coordinator));
        emit ILocalCoordinator.RandomWordsFulfilled(requestId, false);
        coordinator.repeat(requestId);
        vm.assertEq(service.attestations(attestationID).deadline, deadline);
        expectWrongState(requestId, ICoordinatorRandomness.State.Delivered);
        adapter.deliver(requestId);
    }

    function test_a_word_that_runs_out_of_gas_waits_for_whoever_delivers_it() public {
        adapter.setSource(sourceOf(address(coordinator), 115_000));
        (bytes32 attestationID, uint256 requestId) = ask();
        vm.roll(block.number + CONFIRMATIONS);
        vm.expectEmit(address(coordinator));
        emit ILocalCoordinator.RandomWordsFulfilled(requestId, true);
        coordinator.fulfill(requestId);
        vm.assertEq(chosenOf(attestationID).length, 0);
        isState(requestId, ICoordinatorRandomness.State.Waiting);
        (bool delivered,) = address(adapter).call{gas: 60_000}(abi.encodeCall(ICoordinatorRandomness.deliver, (requestId)));
        vm.assertFalse(delivered);
        isState(requestId, ICoordinatorRandomness.State.Waiting);
        vm.prank(node(77));
        adapter.deliver(requestId);
        vm.assertEq(chosenOf(attestationID).length, 3);
        isState(requestId, ICoordinatorRandomness.State.Delivered);
        expectWrongState(requestId, ICoordinatorRandomness.State.Delivered);
        adapter.deliver(requestId);
    }

    /// Four attestations, so that another word is not likely to choose the same one of three nodes each time.
    function test_the_word_that_came_is_the_one_that_is_delivered_later() public {
        adapter.setSource(sourceOf(address(coordinator), 115_000));
        ISettings.Rules memory few = defaultRules();
        few.maxChosenNodes = 1;
        for (uint256 i = 0; i < 4; i++) {
            settings.setRules(defaultRules());
            (bytes32 attestationID, uint256 requestId) = ask();
            vm.roll(block.number + CONFIRMATIONS);
            coordinator.fulfill(requestId);
            isState(requestId, ICoordinatorRandomness.State.Waiting);
            settings.setRules(few);
            uint256 before = vm.snapshotState();
            vm.prank(address(adapter));
            IRandomnessConsumer(address(service)).fulfillRandomness(requestId, uint256(keccak256(abi.encode(requestId, 0))));
            uint32 expected = chosenOf(attestationID)[0];
            vm.revertToState(before);
            adapter.deliver(requestId);
            vm.assertEq(chosenOf(attestationID)[0], expected);
        }
    }

    function test_only_the_coordinator_answers_and_only_what_was_asked() public {
        (, uint256 requestId) = ask();
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.OnlyCoordinator.selector, address(this)));
        adapter.rawFulfillRandomWords(requestId, new uint256[](1));
        expectWrongState(requestId + 1, ICoordinatorRandomness.State.Unknown);
        vm.prank(address(coordinator));
        adapter.rawFulfillRandomWords(requestId + 1, new uint256[](1));
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.WrongWords.selector, 2));
        vm.prank(address(coordinator));
        adapter.rawFulfillRandomWords(requestId, new uint256[](2));
    }

    function test_only_the_service_asks() public {
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.OnlyConsumer.selector, node(0)));
        vm.prank(node(0));
        adapter.requestRandomness();
    }

    function test_an_id_that_was_given_before_is_refused() public {
        RepeatingCoordinator repeating = new RepeatingCoordinator(7);
        adapter.setSource(sourceOf(address(repeating), CALLBACK_GAS));
        reportAttestation();
        repeating.answer(adapter, 1);
        string[] memory texts = new string[](1);
        texts[0] = "one more";
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.UnusableRequestId.selector, 7));
        service.teeReportAttestations(texts);
        adapter.setSource(sourceOf(address(new RepeatingCoordinator(0)), CALLBACK_GAS));
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.UnusableRequestId.selector, 0));
        service.teeReportAttestations(texts);
    }

    function test_after_a_change_the_coordinator_before_answers_no_more() public {
        (bytes32 attestationID, uint256 requestId) = ask();
        ICoordinatorRandomness.Source memory next = sourceOf(Deployed.create("localCoordinator", ""), CALLBACK_GAS);
        vm.expectEmit(address(adapter));
        emit ICoordinatorRandomness.SourceChanged(next);
        adapter.setSource(next);
        vm.roll(block.number + CONFIRMATIONS);
        coordinator.fulfill(requestId);
        vm.assertEq(chosenOf(attestationID).length, 0);
    }

    function test_the_owner_names_consumer_and_source_and_both_are_contracts() public {
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.ConsumerAlreadySet.selector, address(service)));
        adapter.setConsumer(address(this));
        vm.expectRevert(abi.encodeWithSelector(ICoordinatorRandomness.NoSuchContract.selector, node(0)));
        adapter.setSource(sourceOf(node(0), CALLBACK_GAS));
        bytes memory stranger = abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", node(0));
        vm.expectRevert(stranger);
        vm.prank(node(0));
        adapter.setSource(sourceOf(address(coordinator), CALLBACK_GAS));
        vm.expectRevert(stranger);
        vm.prank(node(0));
        adapter.setConsumer(address(this));
    }

    /// @dev The limit that the plan of a deployment asks for (checkDeployment.ts, answerGas).
    function test_the_gas_that_a_deployment_asks_for_chooses_a_whole_list() public {
        for (uint256 operator = 3; operator < 400; operator++) enter(operator, 1);
        adapter.setSource(sourceOf(address(coordinator), 1_800_000));
        (bytes32 attestationID, uint256 requestId) = ask();
        vm.roll(block.number + CONFIRMATIONS);
        coordinator.fulfill(requestId);
        isState(requestId, ICoordinatorRandomness.State.Delivered);
        vm.assertEq(chosenOf(attestationID).length, 200);
    }
}
