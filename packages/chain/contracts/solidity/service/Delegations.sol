// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ActiveSet} from "./ActiveSet.sol";
import {Reasons} from "./Reasons.sol";

/// @title For whom licenses count: their holder, or the node that the holder delegates them to.
abstract contract Delegations is ActiveSet {
    modifier onlyHolder(uint256 tokenID) {
        require(IERC721(license).ownerOf(tokenID) == msg.sender, Reasons.NOT_TOKEN_OWNER);
        _;
    }

    function delegate(uint256 tokenID, address to) external override onlyHolder(tokenID) {
        require(to != address(0), Reasons.INVALID_NODE);
        require(!_licenses[tokenID].delegated, Reasons.ALREADY_DELEGATED);
        _point(tokenID, to, true);
        emit Delegate(tokenID, to);
    }

    function redelegate(uint256 tokenID, address to) external override onlyHolder(tokenID) {
        require(to != address(0), Reasons.INVALID_NODE);
        require(_licenses[tokenID].delegated, Reasons.NOT_DELEGATED);
        require(_licenses[tokenID].node != to, Reasons.ALREADY_DELEGATED);
        _point(tokenID, to, true);
        emit Redelegate(tokenID, to);
    }

    function undelegate(uint256 tokenID) external override onlyHolder(tokenID) {
        require(_licenses[tokenID].delegated, Reasons.NOT_DELEGATED);
        _point(tokenID, msg.sender, false);
        emit Undelegate(tokenID, msg.sender);
    }

    function onLicenseMoved(uint256 tokenID, address to) external override {
        require(msg.sender == license, Reasons.NOT_LICENSE_CONTRACT);
        bool wasDelegated = _licenses[tokenID].delegated;
        _point(tokenID, to, false);
        if (wasDelegated) emit Undelegate(tokenID, to);
    }

    /// @dev Lets a license count for another node, `to` zero for none. Both nodes are settled before. A node whose last license
    /// goes leaves the active set in the same step, so that no node is chosen, and later votes, without a license of its own.
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
        if (_isActiveToday(from)) _days[from.lastActiveDate].weight -= 1;
        from.weight -= 1;
        if (token.delegated) from.delegations -= 1;
    }

    function _give(License storage token, address to, bool delegated) private {
        token.node = to;
        token.delegated = delegated;
        if (to == address(0)) return;
        _settle(to);
        Node storage n = _nodes[to];
        token.mark = n.perLicense;
        if (_isActiveToday(n)) _days[n.lastActiveDate].weight += 1;
        n.weight += 1;
        if (!delegated) return;
        require(n.delegations < _settings.rules().maxDelegations, Reasons.TOO_MANY_DELEGATIONS);
        n.delegations += 1;
    }
}
