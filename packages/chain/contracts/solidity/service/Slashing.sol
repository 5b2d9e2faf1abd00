// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Reasons} from "./Reasons.sol";
import {Registry} from "./Registry.sol";
import {Reports} from "./Reports.sol";

/// @title What a missed or contradicting report costs.
abstract contract Slashing is Registry, Reports {
    function nodeSlash(address node, bytes32 attestationID, uint32 index) external override {
        Report storage report = _reports[attestationID];
        require(report.reporter != address(0), Reasons.ATTESTATION_UNKNOWN);
        uint256 deadline = _deadlines[report.vrfChosenID];
        require(deadline != 0, Reasons.WAITING_VRF);
        require(block.timestamp > deadline, Reasons.DEADLINE_NOT_PASSED);
        uint32[] storage chosen = _chosen[report.vrfChosenID];
        require(index < chosen.length && chosen[index] == _nodes[node].id, Reasons.NOT_CHOSEN);
        _markSlashed(attestationID, index);
        uint8 vote = voteAt(attestationID, index);
        if (vote == 0) {
            _countMiss(node);
        } else {
            (bool decided, uint8 result) = verdict(attestationID);
            require(decided && vote != result + 1, Reasons.NOT_TO_BE_SLASHED);
        }
        emit NodeSlash(msg.sender, node, attestationID, _takeSlash(node));
    }

    function _markSlashed(bytes32 attestationID, uint256 index) private {
        uint256 bit = 1 << (index % 256);
        uint256 word = _slashed[attestationID][index / 256];
        require(word & bit == 0, Reasons.ALREADY_SLASH);
        _slashed[attestationID][index / 256] = word | bit;
    }

    /// @dev A node that was chosen can report whether or not it is still in the set, so leaving and entering again excuse nothing.
    function _countMiss(address node) private {
        Node storage n = _nodes[node];
        n.missed += 1;
        if (n.active && n.missed >= _settings.rules().maxMissedReports) _leave(node);
    }
}
