// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Attestations} from "./Attestations.sol";
import {Reasons, _require} from "./Reasons.sol";
import {Registry} from "./Registry.sol";
import {Reports} from "./Reports.sol";

/// @title Slashing of missed reports and of votes against the verdict.
abstract contract Slashing is Registry, Reports, Attestations {
    address public override slasher;

    function setSlasher(address slasher_) external override onlyOwner {
        _require(slasher == address(0), Reasons.SLASHER_ALREADY_SET);
        slasher = slasher_;
        emit SlasherSet(slasher_);
    }

    function nodeSlash(address node, bytes32 attestationID, uint32 index) external override {
        // Reverts if the attestation has not ended.
        concludeAttestation(attestationID);
        uint32[] storage chosen = _chosen[_reports[attestationID].vrfChosenID];
        _require(index < chosen.length && chosen[index] == _nodes[node].id, Reasons.NOT_CHOSEN);
        _markSlashed(attestationID, index);
        uint8 vote = voteAt(attestationID, index);
        if (vote == 0) {
            _countMiss(node);
        } else {
            (bool decided, uint8 result) = verdict(attestationID);
            _require(decided && vote != result + 1, Reasons.NOT_TO_BE_SLASHED);
            // The majority may be wrong, so a verdict alone does not slash.
            _require(msg.sender == slasher, Reasons.NOT_SLASHER);
        }
        emit NodeSlash(msg.sender, node, attestationID, _takeSlash(node));
    }

    function nodeSlashed(address node, bytes32 attestationID) external view override returns (bool) {
        (bool found, uint32 index) = _placeOf(attestationID, node);
        return found && _slashed[attestationID][index / 256] & (1 << (index % 256)) != 0;
    }

    function _markSlashed(bytes32 attestationID, uint256 index) private {
        uint256 bit = 1 << (index % 256);
        uint256 word = _slashed[attestationID][index / 256];
        _require(word & bit == 0, Reasons.ALREADY_SLASH);
        _slashed[attestationID][index / 256] = word | bit;
    }

    /// @dev A chosen node can report even after it left the set, so leaving or entering again is no excuse.
    function _countMiss(address node) private {
        Node storage n = _nodes[node];
        n.missed += 1;
        if (n.active && n.missed >= _rules().maxMissedReports) _leave(node);
    }
}
