// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ActiveSet} from "./ActiveSet.sol";
import {Reasons, _require} from "./Reasons.sol";

/// @title Delegation of licenses: a license counts for its holder, or for the node that the holder delegates it to.
abstract contract Delegations is ActiveSet {
    modifier onlyHolder(uint256 tokenID) {
        _requireHolder(tokenID);
        _;
    }

    function delegate(uint256 tokenID, address to) external override onlyHolder(tokenID) {
        _require(to != address(0), Reasons.INVALID_NODE);
        _require(!_licenses[tokenID].delegated, Reasons.ALREADY_DELEGATED);
        _point(tokenID, to, true);
        emit Delegate(tokenID, to);
    }

    function redelegate(uint256 tokenID, address to) external override onlyHolder(tokenID) {
        _require(to != address(0), Reasons.INVALID_NODE);
        _require(_licenses[tokenID].delegated, Reasons.NOT_DELEGATED);
        _require(_licenses[tokenID].node != to, Reasons.ALREADY_DELEGATED);
        _point(tokenID, to, true);
        emit Redelegate(tokenID, to);
    }

    function undelegate(uint256 tokenID) external override onlyHolder(tokenID) {
        _require(_licenses[tokenID].delegated, Reasons.NOT_DELEGATED);
        _undelegate(tokenID, msg.sender);
    }

    function onLicenseMoved(uint256 tokenID, address to) external override {
        _require(msg.sender == license, Reasons.NOT_LICENSE_CONTRACT);
        if (_licenses[tokenID].delegated) _undelegate(tokenID, to);
        else _point(tokenID, to, false);
    }

    function _undelegate(uint256 tokenID, address holder) private {
        address from = _licenses[tokenID].node;
        _point(tokenID, holder, false);
        emit Undelegate(tokenID, from);
    }

    /// @dev Moves a license to another node; `to` zero for none. Both nodes are settled first. A node that loses its last license
    /// leaves the active set in the same step, so that no node without a license is chosen.
    function _point(uint256 tokenID, address to, bool delegated) private {
        address before = _licenses[tokenID].node;
        _take(_licenses[tokenID]);
        _give(_licenses[tokenID], to, delegated);
        Node storage from = _nodes[before];
        if (from.active && from.weight == 0) _leave(before);
    }

    function _take(License storage token) private {
        if (token.node == address(0)) return;
        _settle(token.node);
        _accrue(token);
        Node storage from = _nodes[token.node];
        if (token.lateDate == currentDate()) {
            from.late -= 1;
        } else if (_isActiveToday(from)) {
            _days[from.lastActiveDate].weight -= 1;
        }
        from.weight -= 1;
        if (token.delegated) from.delegations -= 1;
    }

    function _give(License storage token, address to, bool delegated) private {
        token.node = to;
        token.delegated = delegated;
        token.lateDate = 0;
        if (to == address(0)) return;
        _settle(to);
        Node storage n = _nodes[to];
        token.mark = n.perLicense;
        if (_isTooLateForToday()) {
            _noteLate(token, n);
        } else if (_isActiveToday(n)) {
            _days[n.lastActiveDate].weight += 1;
        }
        n.weight += 1;
        if (!delegated) return;
        _require(n.delegations < _rules().maxDelegations, Reasons.TOO_MANY_DELEGATIONS);
        n.delegations += 1;
    }

    /// @dev Whether the rest of the day is shorter than `minOnline`, so that a license that is added now does not earn today.
    function _isTooLateForToday() private view returns (bool) {
        return (block.timestamp % _dayLength) + _rules().minOnline > _dayLength;
    }

    /// @dev Past days are settled, so the count of an earlier day is no longer needed.
    function _noteLate(License storage token, Node storage n) private {
        uint32 today = currentDate();
        token.lateDate = today;
        n.late = n.lateDate == today ? n.late + 1 : 1;
        n.lateDate = today;
    }
}
