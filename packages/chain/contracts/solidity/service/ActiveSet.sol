// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Reasons, _require} from "./Reasons.sol";
import {Rewards} from "./Rewards.sol";

/// @title Who is in the active set. A node is in it only while a license counts for it.
/// @dev Entering, leaving and being replaced change the list here and nowhere else.
abstract contract ActiveSet is Rewards {
    /// @dev Takes a place in the set: a new one while there is room, else that of a lighter node.
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

    /// @dev Takes an active node out of the set; the last of the list gets its place.
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

    /// @dev Gives the place of a lighter node to a heavier one.
    function _replace(address replaced, Node storage heavier) private returns (uint32 listIndex) {
        Node storage lighter = _nodes[replaced];
        _require(lighter.active, Reasons.REPLACED_NOT_ACTIVE);
        _require(lighter.weight < heavier.weight, Reasons.LESS_WEIGHTS);
        listIndex = lighter.listIndex;
        _activeList[listIndex] = heavier.id;
        _clear(replaced, lighter);
    }

    /// @dev However a node leaves, a day in which it was active for long enough is credited.
    function _clear(address node, Node storage n) private {
        if (_refuseActiveDay(n) == DayRefusal.None) _creditToday(node, n);
        n.active = false;
        emit NodeClear(node);
    }
}
