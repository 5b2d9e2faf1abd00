// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ILicense} from "../solidity/interfaces/ILicense.sol";
import {IRewardPool} from "../solidity/interfaces/IRewardPool.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Crowd} from "./support/histories/Crowd.sol";
import {vm} from "./support/Vm.sol";

/// @title What holds after any history of calls: the contracts agree with a ledger that is kept apart from them.
contract InvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    uint256 private constant ACTIVE_MOST = 4;
    uint256 private constant MISSED_MOST = 2;
    uint256 private constant DAILY_REWARD = 1_000 ether;
    uint256 private constant POOL = 1_000_000 ether;
    // The shares of a day are rounded one after the other; nobody's sum over a history moves by more.
    uint256 private constant ROUNDING = 1 gwei;

    Crowd private crowd;
    address[8] private nodes;
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
        bytes4[40] memory actions = [
            Crowd.mint.selector, Crowd.transfer.selector, Crowd.delegate.selector, Crowd.redelegate.selector,
            Crowd.undelegate.selector, Crowd.enter.selector, Crowd.enter.selector, Crowd.enter.selector, Crowd.enter.selector,
            Crowd.replace.selector, Crowd.exit.selector, Crowd.setCommission.selector, Crowd.sendSigned.selector,
            Crowd.sendUsedMessageAgain.selector, Crowd.attest.selector, Crowd.choose.selector, Crowd.choose.selector,
            Crowd.reportAlone.selector, Crowd.reportAlone.selector, Crowd.reportAlone.selector, Crowd.reportTogether.selector,
            Crowd.slash.selector, Crowd.slash.selector, Crowd.dailyActive.selector, Crowd.dailyActive.selector,
            Crowd.dailyActive.selector, Crowd.confirm.selector, Crowd.claimNode.selector, Crowd.claimLicense.selector,
            Crowd.conclude.selector, Crowd.askAgain.selector, Crowd.propose.selector, Crowd.propose.selector, Crowd.dispute.selector,
            Crowd.resolve.selector, Crowd.execute.selector, Crowd.releaseDay.selector, Crowd.abandonDay.selector, Crowd.wait.selector, Crowd.wait.selector
        ];
        bytes4[] memory selectors = new bytes4[](actions.length);
        for (uint256 i = 0; i < actions.length; i++) selectors[i] = actions[i];
        list = new FuzzSelector[](1);
        list[0] = FuzzSelector(address(crowd), selectors);
    }

    /// One campaign for all: forge would play a set of histories for each.
    function invariant_the_contracts_agree_with_the_ledger() public view {
        the_active_set_holds_nodes_with_licenses();
        licenses_count_for_one_node_each();
        a_license_backs_one_vote();
        the_pool_holds_what_is_promised();
    }

    /// At the end of each history everyone can have what the ledger says, and nothing is left.
    function afterInvariant() public {
        crowd.settleEverything();
        vm.assertEq(pool.reserved(), 0, "something promised cannot be claimed");
        the_pool_holds_what_is_promised();
        for (uint256 id = 1; id <= license.minted(); id++) {
            near(crowd.paidToLicense(id), crowd.earnedByLicense(id), "a license was not paid what it earned");
        }
        for (uint256 i = 0; i < nodes.length; i++) {
            near(crowd.paidOrSlashed(nodes[i]), crowd.earnedByNode(nodes[i]), "a node was not paid what it earned");
        }
    }

    function the_active_set_holds_nodes_with_licenses() private view {
        uint256 count = service.activeNodeCount();
        vm.assertLe(count, ACTIVE_MOST);
        uint256 weights = 0;
        for (uint32 place = 0; place < count; place++) {
            address of_ = service.nodeAddrByID(service.activeVrfNodeList(place));
            IVerifierService.NodeInfo memory node = service.nodeInfos(of_);
            vm.assertEq(node.listIndex, place);
            vm.assertEq(node.id, service.activeVrfNodeList(place));
            vm.assertTrue(service.delegationWeights(of_) != 0, "a node without a license is active");
            weights += service.delegationWeights(of_);
        }
        vm.assertLe(weights, license.minted(), "the active nodes have more weight than there are licenses");
        uint256 active = 0;
        for (uint256 i = 0; i < nodes.length; i++) {
            IVerifierService.NodeInfo memory node = service.nodeInfos(nodes[i]);
            vm.assertTrue(node.active == (crowd.activeSince(nodes[i]) != 0), "a node is active and the ledger says otherwise");
            vm.assertEq(node.missed, crowd.missesOf(nodes[i]), "missed reports");
            vm.assertTrue(!node.active || node.missed < MISSED_MOST);
            if (node.active) active++;
        }
        vm.assertEq(active, count);
    }

    function licenses_count_for_one_node_each() private view {
        uint256 sum = 0;
        for (uint256 i = 0; i < nodes.length; i++) {
            vm.assertEq(service.delegationWeights(nodes[i]), crowd.weightOf(nodes[i]), "weight");
            vm.assertEq(service.delegationCount(nodes[i]), crowd.delegationsOf(nodes[i]), "delegations");
            vm.assertLe(service.delegationCount(nodes[i]), 3);
            sum += service.delegationWeights(nodes[i]);
        }
        vm.assertEq(sum, license.minted());
        for (uint256 id = 1; id <= sum; id++) vm.assertEq(service.delegation(id), crowd.countsFor(id));
    }

    /// The ledger refuses a vote whose node had no license at the choosing. Older attestations were compared earlier.
    function a_license_backs_one_vote() private view {
        uint256 count = crowd.attestationCount();
        for (uint256 i = count < 6 ? 0 : count - 6; i < count; i++) {
            bytes32 attestationID = crowd.seenAttestations(i);
            IVerifierService.Attestation memory a = service.attestations(attestationID);
            uint256[3] memory votes = crowd.votesOn(attestationID);
            vm.assertTrue(a.valid == votes[0] && a.invalid == votes[1] && a.malicious == votes[2], "votes");
            uint32[] memory chosen = service.chosenNodes(a.vrfChosenID);
            vm.assertLe(votes[0] + votes[1] + votes[2], chosen.length);
            for (uint32 index = 0; index < chosen.length; index++) {
                vm.assertEq(service.voteAt(attestationID, index), crowd.voteOf(attestationID, service.nodeAddrByID(chosen[index])));
            }
            vm.assertTrue(service.attestationState(attestationID) == crowd.stateOf(attestationID), "where an attestation stands");
            (bool decided, uint8 result) = service.verdict(attestationID);
            uint256 verdict = uint256(crowd.stateOf(attestationID)) - uint256(IVerifierService.AttestationState.Waiting);
            vm.assertEq(decided ? uint256(result) + 2 : 0, verdict >= 2 && verdict <= 4 ? verdict : 0, "verdict");
        }
    }

    /// What is promised to someone is reserved, to the last unit; what is reserved is there, and was reserved for a credited day.
    function the_pool_holds_what_is_promised() private view {
        uint256 owed = 0;
        for (uint256 i = 0; i < nodes.length; i++) {
            IVerifierService.NodeInfo memory node = service.nodeInfos(nodes[i]);
            owed += node.selfTotal - node.selfClaimed;
        }
        for (uint256 id = 1; id <= license.minted(); id++) owed += service.claimableRewards(id);
        for (uint256 i = 0; i < crowd.dayCount(); i++) {
            (uint128 pot,) = service.dayInfo(crowd.creditedDays(i));
            owed += pot;
        }
        vm.assertEq(owed, pool.reserved(), "owed and reserved");
        vm.assertLe(owed, token.balanceOf(address(pool)));
        vm.assertEq(POOL - token.balanceOf(address(pool)), crowd.paid(), "flown out and paid");
        vm.assertEq(crowd.reserved() - crowd.released() - crowd.paid(), owed, "flown in and out");
        vm.assertEq(crowd.reserved(), crowd.dayCount() * DAILY_REWARD, "a reward without a credited day");
    }

    function near(uint256 left, uint256 right, string memory what) private pure {
        vm.assertLe(left < right ? right - left : left - right, ROUNDING, what);
    }
}
