// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../../../solidity/interfaces/IVerifierService.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";
import {Steps} from "./Steps.sol";

/// @title Operators and holders of licenses who do whatever forge thinks of, in any order, allowed or not.
contract Crowd is Steps {
    // Licenses

    function mint(uint256 seed) external {
        vm.assume(license.minted() < LICENSES_MOST);
        act(address(this), address(license), abi.encodeCall(license.mint, (operator_(seed), 1)));
    }

    function transfer(uint256 seed) external {
        uint256 tokenID = pick(seed, license.minted()) + 1;
        address from = holderOf[tokenID];
        act(from, address(license), abi.encodeCall(license.transferFrom, (from, operator_(seed), tokenID)));
    }

    function delegate(uint256 seed) external {
        uint256 tokenID = token_(seed, false);
        act(holderOf[tokenID], address(service), abi.encodeCall(service.delegate, (tokenID, operator_(seed))));
    }

    function redelegate(uint256 seed) external {
        uint256 tokenID = token_(seed, true);
        act(holderOf[tokenID], address(service), abi.encodeCall(service.redelegate, (tokenID, operator_(seed))));
    }

    function undelegate(uint256 seed) external {
        uint256 tokenID = token_(seed, true);
        act(holderOf[tokenID], address(service), abi.encodeCall(service.undelegate, (tokenID)));
    }

    // Nodes

    function enter(uint256 seed) external {
        vm.assume(service.activeNodeCount() < defaultRules().maxActiveNodes);
        act(node_(seed, false), address(service), abi.encodeCall(service.nodeEnter, (operator_(seed))));
    }

    /// @dev Into a full set.
    function replace(uint256 seed) external {
        vm.assume(service.activeNodeCount() == defaultRules().maxActiveNodes);
        act(node_(seed, false), address(service), abi.encodeCall(service.nodeEnter, (node_(seed, true))));
    }

    function exit(uint256 seed) external {
        act(node_(seed, true), address(service), abi.encodeCall(service.nodeExit, ()));
    }

    function setCommission(uint256 seed) external {
        act(operator_(seed), address(service), abi.encodeCall(service.nodeModifyCommissionRate, (uint32(pick(seed, 700)))));
    }

    function sendSigned(uint256 seed) external {
        uint256 operator = pick(seed, OPERATORS);
        bool isExit = activeSince[_nodes[operator]] != 0;
        uint256 expiredAt = block.timestamp + pick(seed, 6 hours);
        bytes32 message = isExit ? Signing.exit(expiredAt) : Signing.enter(address(0), expiredAt);
        Message memory m = Message(operator, isExit, expiredAt, signed(operator, message));
        act(address(this), address(service), callOf(m));
        _used.push(m);
    }

    function sendUsedMessageAgain(uint256 seed) external {
        vm.assume(_used.length != 0);
        (bool succeeded,) = address(service).call(callOf(_used[pick(seed, _used.length)]));
        require(!succeeded, "a message took effect twice");
    }

    // Attestations

    function attest(uint256 seed) external {
        string[] memory texts = new string[](pick(seed, 2) + 1);
        for (uint256 i = 0; i < texts.length; i++) texts[i] = vm.toString(_steps * 2 + i);
        act(address(this), address(service), abi.encodeCall(service.teeReportAttestations, (texts)));
    }

    function choose(uint256 seed) external {
        uint256 last = randomness.lastRequestId();
        vm.assume(last != 0);
        act(address(this), address(randomness), abi.encodeCall(randomness.fulfill, (last - pick(seed, last < 4 ? last : 4))));
    }

    /// @dev Mostly of who was chosen, sometimes of someone else.
    function reportAlone(uint256 seed) external {
        (bytes32 attestationID, uint32 index, address chosen) = place_(seed, true);
        address by = pick(seed, 8) == 0 ? operator_(seed) : chosen;
        uint8 result = uint8(pick(seed, 2) * pick(seed, 3));
        act(by, address(service), abi.encodeCall(service.nodeReportVerification, (attestationID, index, result)));
    }

    /// @dev All chosen nodes, and one operator who was not chosen, or is there twice, at one of their places.
    function reportTogether(uint256 seed) external {
        (bytes32 attestationID, uint32 index,) = place_(seed, true);
        uint32[] storage chosen = _cases[attestationID].chosen;
        IVerifierService.VerificationInfo[] memory infos = new IVerifierService.VerificationInfo[](chosen.length + 1);
        for (uint32 i = 0; i < infos.length; i++) {
            uint256 signer = i < chosen.length ? operatorOf[nodeOf[chosen[i]]] : pick(seed, OPERATORS);
            uint8 result = uint8(pick(seed, 2) * pick(seed, 3));
            infos[i] = Signing.info(key(signer), domain(), attestationID, result, i < chosen.length ? i : index);
        }
        act(address(this), address(service), abi.encodeCall(service.nodeReportVerificationBatch, (attestationID, infos)));
    }

    function slash(uint256 seed) external {
        (bytes32 attestationID, uint32 index, address chosen) = place_(seed, false);
        address target = pick(seed, 8) == 0 ? operator_(seed) : chosen;
        act(address(this), address(service), abi.encodeCall(service.nodeSlash, (target, attestationID, index)));
    }

    function conclude(uint256 seed) external {
        vm.assume(seenAttestations.length != 0);
        act(address(this), address(service), abi.encodeCall(service.concludeAttestation, (recent_(seed))));
    }

    function askAgain(uint256 seed) external {
        vm.assume(seenAttestations.length != 0);
        act(operator_(seed), address(service), abi.encodeCall(service.requestRandomnessAgain, (_cases[recent_(seed)].requestId)));
    }

    // Votes against a verdict

    function propose(uint256 seed) external {
        (bytes32 attestationID, uint32 index) = contradicting_(seed);
        act(SLASHER, address(slasher), abi.encodeCall(slasher.propose, (attestationID, index)));
    }

    function dispute(uint256 seed) external {
        Accused memory accused = accused_(seed);
        address by = pick(seed, 2) == 0 ? ARBITER : accused.node;
        act(by, address(slasher), abi.encodeCall(slasher.dispute, (accused.attestationID, accused.index)));
    }

    function resolve(uint256 seed) external {
        Accused memory accused = accused_(seed);
        act(ARBITER, address(slasher), abi.encodeCall(slasher.resolve, (accused.attestationID, accused.index, pick(seed, 2) == 0)));
    }

    function execute(uint256 seed) external {
        Accused memory accused = accused_(seed);
        act(SLASHER, address(slasher), abi.encodeCall(slasher.execute, (accused.attestationID, accused.index)));
    }

    // Rewards

    function dailyActive(uint256 seed) external {
        uint256 first = pick(seed, OPERATORS);
        for (uint256 i = 0; i < OPERATORS && !_canBeCredited(_nodes[first]); i++) first = (first + 1) % OPERATORS;
        act(address(this), address(service), abi.encodeCall(service.nodeReportDailyActive, (_nodes[first])));
    }

    function confirm(uint256 seed) external {
        act(address(this), address(service), abi.encodeCall(service.confirmNodeRewards, (operator_(seed))));
    }

    function claimNode(uint256 seed) external {
        address operator = operator_(seed);
        act(operator, address(service), abi.encodeCall(service.nodeClaim, (operator)));
    }

    function claimLicense(uint256 seed) external {
        uint256 tokenID = pick(seed, license.minted()) + 1;
        act(holderOf[tokenID], address(service), abi.encodeCall(service.claimRewards, (tokenID)));
    }

    function releaseDay(uint256 seed) external {
        bool any = pick(seed, 2) == 0 || _abandonedDays.length == 0;
        uint32[] storage days_ = any ? creditedDays : _abandonedDays;
        vm.assume(days_.length != 0);
        uint256 which = pick(seed, days_.length);
        for (uint256 i = 0; i < days_.length && potOf(days_[which]) == 0; i++) which = (which + 1) % days_.length;
        act(address(this), address(service), abi.encodeCall(service.releaseDay, (days_[which])));
    }

    /// @dev All licenses of the nodes that are credited today go to one operator before the day ends.
    function abandonDay(uint256 seed) external {
        vm.assume(pick(seed, 3) == 0 && _creditedToday.length != 0);
        address to = operator_(seed);
        for (uint256 id = 1; id <= license.minted(); id++) {
            for (uint256 i = 0; i < _creditedToday.length; i++) {
                if (countsFor[id] != _creditedToday[i] || countsFor[id] == to) continue;
                send(holderOf[id], address(license), abi.encodeCall(license.transferFrom, (holderOf[id], to, id)));
            }
        }
        pass(1 hours);
    }

    function wait(uint256 seed) external {
        pass(pick(seed, pick(seed, 4) == 0 ? 1 hours : 8 minutes));
    }
}
