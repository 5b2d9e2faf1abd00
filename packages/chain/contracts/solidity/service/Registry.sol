// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ActiveSet} from "./ActiveSet.sol";
import {Reasons, _require} from "./Reasons.sol";
import {SignedMessages} from "./SignedMessages.sol";

/// @title Membership, commission and claimer: each operation is sent by the node, or signed by the node.
abstract contract Registry is ActiveSet, SignedMessages {
    bytes32 private constant ENTER_TYPE = keccak256("NodeEnterData(address replacedNode,uint256 expiredAt)");
    bytes32 private constant EXIT_TYPE = keccak256("NodeExitData(uint256 expiredAt)");
    bytes32 private constant COMMISSION_TYPE = keccak256("NodeModifyCommissionRateData(uint32 commissionRate,uint256 expiredAt)");
    bytes32 private constant CLAIMER_TYPE = keccak256("NodeSetRewardClaimerData(address claimer,uint256 expiredAt)");

    function nodeEnter(address replaced) external override {
        _enter(msg.sender, replaced);
    }

    function nodeExit() external override {
        _exit(msg.sender);
    }

    function nodeModifyCommissionRate(uint32 commissionRate) external override {
        _modifyCommissionRate(msg.sender, commissionRate);
    }

    function nodeSetRewardClaimer(address claimer) external override {
        _setRewardClaimer(msg.sender, claimer);
    }

    function nodeEnterWithSignature(address replaced, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s)
        external
        override
    {
        _authorize(keccak256(abi.encode(ENTER_TYPE, replaced, expiredAt)), expiredAt, signer, v, r, s);
        _enter(signer, replaced);
    }

    function nodeExitWithSignature(uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external override {
        _authorize(keccak256(abi.encode(EXIT_TYPE, expiredAt)), expiredAt, signer, v, r, s);
        _exit(signer);
    }

    function nodeModifyCommissionRateWithSignature(
        uint32 commissionRate,
        uint256 expiredAt,
        address signer,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external override {
        _authorize(keccak256(abi.encode(COMMISSION_TYPE, commissionRate, expiredAt)), expiredAt, signer, v, r, s);
        _modifyCommissionRate(signer, commissionRate);
    }

    function nodeSetRewardClaimerWithSignature(address claimer, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s)
        external
        override
    {
        _authorize(keccak256(abi.encode(CLAIMER_TYPE, claimer, expiredAt)), expiredAt, signer, v, r, s);
        _setRewardClaimer(signer, claimer);
    }

    function _enter(address node, address replaced) private {
        Node storage n = _nodes[node];
        _require(n.weight != 0, Reasons.NO_DELEGATION_WEIGHTS);
        _require(!n.active, Reasons.ALREADY_ENTER);
        if (n.id == 0) {
            n.id = ++_lastNodeID;
            nodeAddrByID[n.id] = node;
            emit NodeRegister(node, n.id);
        }
        // Missed reports of an earlier membership still count, unless they ended that membership.
        if (n.missed != 0 && n.missed >= _rules().maxMissedReports) n.missed = 0;
        _join(node, replaced);
    }

    function _exit(address node) private {
        _require(_nodes[node].active, Reasons.ALREADY_EXIT);
        _leave(node);
    }

    function _modifyCommissionRate(address node, uint32 commissionRate) private {
        Node storage n = _nodes[node];
        _require(n.id != 0, Reasons.NOT_REGISTER);
        _require(commissionRate <= WHOLE_RATE, Reasons.COMMISSION_VALUE);
        uint256 interval = _rules().commissionInterval;
        require(n.lastModifyAt == 0 || block.timestamp - n.lastModifyAt >= interval, Reasons.COMMISSION_INTERVAL);
        uint256 step = _rules().maxCommissionIncrease;
        _require(commissionRate <= n.commissionRate + step, Reasons.COMMISSION_STEP);
        _settle(node);
        n.commissionRate = uint16(commissionRate);
        n.lastModifyAt = uint40(block.timestamp);
        emit NodeModifyCommissionRate(node, commissionRate);
    }

    function _setRewardClaimer(address node, address claimer) private {
        Node storage n = _nodes[node];
        _require(n.id != 0 || n.weight != 0, Reasons.NOT_REGISTER);
        n.claimer = claimer;
        emit NodeSetClaimer(node, claimer);
    }
}
