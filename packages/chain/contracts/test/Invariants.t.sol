// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ILicense} from "../solidity/interfaces/ILicense.sol";
import {IRewardPool} from "../solidity/interfaces/IRewardPool.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Crowd} from "./support/Crowd.sol";
import {vm} from "./support/Vm.sol";

/// @title What holds after any sequence of actions.
contract InvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    uint256 private constant ACTIVE_MOST = 4;
    uint256 private constant MISSED_MOST = 2;

    Crowd private crowd;
    address[] private nodes;
    IVerifierService private service;
    ILicense private license;
    IRewardPool private pool;
    IERC20 private token;

    function setUp() public {
        crowd = new Crowd();
        crowd.start();
        nodes = crowd.nodes();
        (IVerifierService service_, address license_, address pool_, address token_) = crowd.deployment();
        (service, license, pool, token) = (service_, ILicense(license_), IRewardPool(pool_), IERC20(token_));
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(crowd);
    }

    /// @notice Actions; those that make others possible stand more than once.
    function targetSelectors() public view returns (FuzzSelector[] memory list) {
        bytes4[24] memory actions = [
            Crowd.mint.selector, Crowd.transfer.selector, Crowd.delegate.selector, Crowd.redelegate.selector,
            Crowd.undelegate.selector, Crowd.enterNode.selector, Crowd.enterNode.selector, Crowd.enterNode.selector,
            Crowd.exitNode.selector, Crowd.setCommission.selector, Crowd.sendSigned.selector, Crowd.sendSigned.selector,
            Crowd.attest.selector, Crowd.reportAlone.selector, Crowd.reportTogether.selector, Crowd.slash.selector,
            Crowd.dailyActive.selector, Crowd.dailyActive.selector, Crowd.confirm.selector, Crowd.claimNode.selector,
            Crowd.claimLicense.selector, Crowd.releaseDay.selector, Crowd.wait.selector, Crowd.wait.selector
        ];
        bytes4[] memory selectors = new bytes4[](actions.length);
        for (uint256 i = 0; i < actions.length; i++) selectors[i] = actions[i];
        list = new FuzzSelector[](1);
        list[0] = FuzzSelector(address(crowd), selectors);
    }

    /// One campaign for all: forge would play a set of sequences for each.
    function invariant_holds_after_any_sequence() public view {
        nothing_happened_that_must_not();
        the_active_set_and_its_table_agree();
        weights_are_the_licenses_that_count();
        the_pool_holds_what_is_promised();
        a_report_counts_once();
    }

    /// A crowd whose every action was refused would prove nothing: in one long life each action takes effect, many times.
    function test_the_crowd_does_everything() public {
        bytes4[] memory actions = targetSelectors()[0].selectors;
        for (uint256 step = 0; step < 4_000; step++) {
            bytes32 chance = keccak256(abi.encode("chance", step));
            bytes4 action = actions[uint256(chance) % actions.length];
            // Arguments beyond those of an action are ignored; all of them fit 8 bits.
            bytes memory call_ = abi.encodePacked(
                action, uint256(uint8(chance[28])), uint256(uint8(chance[29])), uint256(uint8(chance[30])) % 2, uint256(uint8(chance[31]))
            );
            (bool succeeded,) = address(crowd).call(call_);
            vm.assertTrue(succeeded);
            if (step % 100 == 0) invariant_holds_after_any_sequence();
        }
        string[16] memory names = [
            "transfer", "delegate", "redelegate", "undelegate", "enter", "exit", "commission", "signed", "attest", "report",
            "batch", "slash", "active", "confirm", "claim node", "claim license"
        ];
        for (uint256 i = 0; i < names.length; i++) vm.assertTrue(crowd.done(names[i]) >= 3, names[i]);
        vm.assertGe(crowd.replays(), 10);
    }

    function nothing_happened_that_must_not() private view {
        vm.assertEq(crowd.scandal(), "");
    }

    function the_active_set_and_its_table_agree() private view {
        uint256 count = service.activeNodeCount();
        vm.assertLe(count, ACTIVE_MOST);
        for (uint32 place = 0; place < count; place++) {
            IVerifierService.NodeInfo memory node = service.nodeInfos(service.nodeAddrByID(service.activeVrfNodeList(place)));
            vm.assertTrue(node.active);
            vm.assertEq(node.listIndex, place);
            vm.assertEq(node.id, service.activeVrfNodeList(place));
            vm.assertTrue(node.missed < MISSED_MOST);
            vm.assertGe(service.delegationWeights(service.nodeAddrByID(node.id)), 1);
        }
        uint256 active = 0;
        for (uint256 i = 0; i < nodes.length; i++) if (service.nodeInfos(nodes[i]).active) active++;
        vm.assertEq(active, count);
    }

    function weights_are_the_licenses_that_count() private view {
        uint256[] memory weights = new uint256[](nodes.length);
        uint256[] memory delegated = new uint256[](nodes.length);
        for (uint256 tokenID = 1; tokenID <= license.minted(); tokenID++) {
            for (uint256 i = 0; i < weights.length; i++) {
                if (service.delegation(tokenID) != nodes[i]) continue;
                weights[i]++;
                if (license.ownerOf(tokenID) != nodes[i]) delegated[i]++;
            }
        }
        uint256 sum = 0;
        for (uint256 i = 0; i < weights.length; i++) {
            vm.assertEq(service.delegationWeights(nodes[i]), weights[i]);
            // A holder may delegate to itself, which counts as a delegation as well.
            vm.assertGe(service.delegationCount(nodes[i]), delegated[i]);
            vm.assertLe(service.delegationCount(nodes[i]), 3);
            sum += weights[i];
        }
        vm.assertEq(sum, license.minted());
    }

    /// What is promised to someone is reserved, to the last unit, and what is reserved is there.
    function the_pool_holds_what_is_promised() private view {
        uint256 owed = 0;
        for (uint256 i = 0; i < nodes.length; i++) {
            IVerifierService.NodeInfo memory node = service.nodeInfos(nodes[i]);
            owed += node.selfTotal - node.selfClaimed;
        }
        for (uint256 tokenID = 1; tokenID <= license.minted(); tokenID++) owed += service.claimableRewards(tokenID);
        for (uint256 i = 0; i < crowd.dayCount(); i++) {
            (uint128 pot,) = service.dayInfo(crowd.seenDays(i));
            owed += pot;
        }
        vm.assertEq(owed, pool.reserved());
        vm.assertLe(pool.reserved(), token.balanceOf(address(pool)));
    }

    function a_report_counts_once() private view {
        for (uint256 i = 0; i < crowd.attestationCount(); i++) {
            bytes32 attestationID = crowd.seenAttestations(i);
            IVerifierService.Attestation memory a = service.attestations(attestationID);
            vm.assertEq(uint256(a.valid) + a.invalid + a.malicious, crowd.votes(attestationID));
            vm.assertLe(crowd.votes(attestationID), service.chosenNodes(a.vrfChosenID).length);
        }
    }
}
