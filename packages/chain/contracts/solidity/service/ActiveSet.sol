// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Reasons, _require} from "./Reasons.sol";
import {Rewards} from "./Rewards.sol";

/// @title The active set. A node is a member only while a license counts for it.
/// @dev Only these functions change the list.
abstract contract ActiveSet is Rewards {
    /// @dev Adds a node to the set: at a new index while there is room, otherwise at the index of a node with less weight.
    function _join(address node, address replaced) internal {
        Node storage n = _nodes[node];
        uint32 listIndex = uint32(_activeList.length);
        if (listIndex < _rules().maxActiveNodes) {
            _activeList.push(n.id);
        } else {
            listIndex = _replace(replaced, n);
        }
        n.listIndex = listIndex;
        n.active = true;
        n.lastEnterTime = uint40(block.timestamp);
        emit NodeActivate(node, listIndex);
    }

    /// @dev Removes an active node from the set; the last node of the list moves to its index.
    function _leave(address node) internal {
        Node storage n = _nodes[node];
        uint32 listIndex = n.listIndex;
        uint32 lastID = _activeList[_activeList.length - 1];
        _activeList.pop();
        if (lastID != n.id) {
            _activeList[listIndex] = lastID;
            _nodes[nodeAddrByID[lastID]].listIndex = listIndex;
        }
        _clear(node, n);
    }

    /// @dev Replaces a node by a node with more weight.
    function _replace(address replaced, Node storage heavier) private returns (uint32 listIndex) {
        Node storage lighter = _nodes[replaced];
        _require(lighter.active, Reasons.REPLACED_NOT_ACTIVE);
        _require(lighter.weight < heavier.weight, Reasons.LESS_WEIGHTS);
        listIndex = lighter.listIndex;
        _activeList[listIndex] = heavier.id;
        _clear(replaced, lighter);
    }

    /// @dev A node that leaves is credited the current day if it was active long enough.
    function _clear(address node, Node storage n) private {
        if (_refuseActiveDay(n) == DayRefusal.None) _creditToday(node, n);
        n.active = false;
        emit NodeClear(node);
    }
}
