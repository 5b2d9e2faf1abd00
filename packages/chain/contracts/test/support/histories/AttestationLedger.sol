// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IDisputableSlasher as D} from "../../../solidity/interfaces/IDisputableSlasher.sol";
import {IVerifierService as S} from "../../../solidity/interfaces/IVerifierService.sol";
import {Harness} from "../Harness.sol";

/// @title Attestations, votes and slashes as the events tell of them, kept apart from the contracts.
abstract contract AttestationLedger is Harness {
    struct Case {
        uint32[] chosen;
        uint256 reportedAt;
        uint256 deadline;
        uint256 requestId;
        uint256[3] votes;
        bool concluded;
    }

    /// @dev `executableAt` is `NEVER` once the proposal is carried out or dismissed.
    struct Accusation {
        address node;
        uint256 executableAt;
        bool disputed;
    }

    struct Accused {
        bytes32 attestationID;
        uint32 index;
        address node;
    }

    uint256 internal constant NEVER = type(uint256).max;

    mapping(address node => uint256) public weightOf;
    mapping(uint32 id => address) public nodeOf;
    mapping(address node => uint32) public idOf;
    mapping(address node => uint256) public activeSince;
    mapping(address node => uint256) public missesOf;
    mapping(address node => uint256) public paidOrSlashed;

    bytes32[] public seenAttestations;
    mapping(bytes32 attestationID => Case) internal _cases;
    mapping(bytes32 attestationID => mapping(address node => uint256)) public weightAtChoosing;
    mapping(bytes32 attestationID => mapping(address node => uint256 onePlusResult)) public voteOf;
    mapping(bytes32 attestationID => mapping(address node => bool)) private _slashed;
    mapping(bytes32 attestationID => mapping(address node => Accusation)) internal _accusations;
    Accused[] internal _accused;

    function _noteAttestation(bytes32[] memory topics, bytes memory data) internal {
        bytes32 topic = topics[0];
        if (topic == S.TeeReportAttestations.selector) {
            (, bytes32[] memory ids,, uint256 requestId) = abi.decode(data, (address, bytes32[], string[], uint256));
            for (uint256 i = 0; i < ids.length; i++) {
                seenAttestations.push(ids[i]);
                (_cases[ids[i]].requestId, _cases[ids[i]].reportedAt) = (requestId, block.timestamp);
            }
        } else if (topic == S.ConfirmVrfNodes.selector) {
            (uint256 requestId, uint32[] memory chosen, uint256 deadline) = abi.decode(data, (uint256, uint32[], uint256));
            for (uint256 i = 0; i < seenAttestations.length; i++) {
                if (_cases[seenAttestations[i]].requestId == requestId) _choose(seenAttestations[i], chosen, deadline);
            }
        } else if (topic == S.NodeReportVerification.selector) {
            (address node, bytes32 attestationID, uint8 result) = abi.decode(data, (address, bytes32, uint8));
            _vote(attestationID, node, result);
        } else if (topic == S.NodeReportVerificationBatch.selector) {
            (bytes32 attestationID, S.VerificationInfo[] memory infos) = abi.decode(data, (bytes32, S.VerificationInfo[]));
            for (uint256 i = 0; i < infos.length; i++) _vote(attestationID, infos[i].signer, infos[i].result);
        } else if (topic == S.NodeSlash.selector) {
            (address by, address node, bytes32 attestationID, uint256 rewards) = abi.decode(data, (address, address, bytes32, uint256));
            _slash(by, attestationID, node, rewards);
        } else if (topic == S.AttestationConcluded.selector) {
            (S.AttestationState state,,) = abi.decode(data, (S.AttestationState, uint256, uint256));
            require(!_cases[topics[1]].concluded && state == stateOf(topics[1]), "concluded twice, or otherwise than it ended");
            _cases[topics[1]].concluded = true;
        }
    }

    function _choose(bytes32 attestationID, uint32[] memory chosen, uint256 deadline) private {
        require(stateOf(attestationID) == S.AttestationState.Waiting, "chosen twice, or too late");
        (_cases[attestationID].chosen, _cases[attestationID].deadline) = (chosen, deadline);
        for (uint256 i = 0; i < chosen.length; i++) {
            address node = nodeOf[chosen[i]];
            require(activeSince[node] != 0 && weightOf[node] != 0, "chosen without being active with a license");
            require(weightAtChoosing[attestationID][node] == 0, "a node chosen twice");
            weightAtChoosing[attestationID][node] = weightOf[node];
        }
    }

    /// @dev Each license counts for one node at a time, so votes of nodes with licenses at the choosing have one each of their own.
    function _vote(bytes32 attestationID, address node, uint8 result) private {
        require(weightAtChoosing[attestationID][node] != 0, "a vote without a license of its own");
        require(voteOf[attestationID][node] == 0, "a second vote of a node");
        require(block.timestamp <= _cases[attestationID].deadline, "a vote after the deadline");
        voteOf[attestationID][node] = 1 + uint256(result);
        _cases[attestationID].votes[result]++;
    }

    function _slash(address by, bytes32 attestationID, address node, uint256 rewards) private {
        require(!_slashed[attestationID][node], "slashed twice");
        require(block.timestamp > _cases[attestationID].deadline, "slashed before the deadline");
        require(weightAtChoosing[attestationID][node] != 0, "slashed without being chosen");
        require(rewards <= SLASH_AMOUNT, "slashed by more than the amount");
        _slashed[attestationID][node] = true;
        uint256 vote = voteOf[attestationID][node];
        if (vote == 0) {
            missesOf[node]++;
        } else {
            S.AttestationState state = stateOf(attestationID);
            require(state >= S.AttestationState.Valid && state <= S.AttestationState.Malicious, "a vote slashed without a verdict");
            require(vote != 1 + uint256(state) - uint256(S.AttestationState.Valid), "a vote slashed that agrees with the verdict");
            require(by == address(slasher) && _accusations[attestationID][node].executableAt == NEVER, "a vote slashed past the proposal");
        }
        paidOrSlashed[node] += rewards;
    }

    /// @notice Where an attestation stands: a verdict needs votes of more than half of the chosen, and more than half of the votes.
    function stateOf(bytes32 attestationID) public view returns (S.AttestationState) {
        Case storage c = _cases[attestationID];
        if (c.deadline == 0) {
            bool waiting = block.timestamp <= c.reportedAt + defaultVerdictRules().selectionPeriod;
            return waiting ? S.AttestationState.Waiting : S.AttestationState.Unselected;
        }
        if (block.timestamp <= c.deadline) return S.AttestationState.Open;
        uint256 votes = c.votes[0] + c.votes[1] + c.votes[2];
        if (2 * votes <= c.chosen.length) return S.AttestationState.NoVerdict;
        if (2 * c.votes[0] > votes) return S.AttestationState.Valid;
        if (2 * c.votes[1] > votes) return S.AttestationState.Invalid;
        return 2 * c.votes[2] > votes ? S.AttestationState.Malicious : S.AttestationState.NoVerdict;
    }

    function votesOn(bytes32 attestationID) public view returns (uint256[3] memory) {
        return _cases[attestationID].votes;
    }

    function _noteProposal(bytes32[] memory topics, bytes memory data) internal {
        if (topics.length != 3) return;
        Accusation storage accusation = _accusations[topics[1]][address(uint160(uint256(topics[2])))];
        if (topics[0] == D.SlashProposed.selector) {
            (uint32 index, uint256 executableAt) = abi.decode(data, (uint32, uint256));
            require(accusation.executableAt == 0, "accused twice");
            require(executableAt == block.timestamp + defaultVerdictRules().slashDelay, "another delay than the rules have");
            accusation.executableAt = executableAt;
            _accused.push(Accused(topics[1], index, address(uint160(uint256(topics[2])))));
        } else if (topics[0] == D.SlashDisputed.selector) {
            require(block.timestamp < accusation.executableAt && !accusation.disputed, "disputed too late, or twice");
            accusation.disputed = true;
        } else if (topics[0] == D.SlashDismissed.selector) {
            require(accusation.disputed, "dismissed without a dispute");
            accusation.executableAt = NEVER;
        } else if (topics[0] == D.SlashExecuted.selector) {
            require(accusation.disputed || block.timestamp >= accusation.executableAt, "carried out before disputes are over");
            require(accusation.executableAt != NEVER, "carried out twice, or after it was dismissed");
            accusation.executableAt = NEVER;
        }
    }

    /// @dev Whether a node has something left to do for an attestation, or to be slashed for.
    function _awaits(bytes32 attestationID, address node) internal view returns (bool) {
        bool open = block.timestamp <= _cases[attestationID].deadline;
        return open ? voteOf[attestationID][node] == 0 : !_slashed[attestationID][node];
    }
}
