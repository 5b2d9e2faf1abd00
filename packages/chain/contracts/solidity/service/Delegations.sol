// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {Reasons} from "./Reasons.sol";
import {Rewards} from "./Rewards.sol";

/// @title For whom licenses count: their holder, or the node that the holder delegates them to.
abstract contract Delegations is Rewards {
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
}
