// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {RevertingReasons} from "./RevertingReasons.sol";
import {RevertingSignatures} from "./RevertingSignatures.sol";

/// @title Active set, commission, claimer and licenses of the service for tests.
abstract contract RevertingRegistry is RevertingSignatures {
    bytes32 private constant ENTER_TYPE = keccak256("NodeEnterData(address replacedNode,uint256 expiredAt)");
    bytes32 private constant EXIT_TYPE = keccak256("NodeExitData(uint256 expiredAt)");
    bytes32 private constant COMMISSION_TYPE = keccak256("NodeModifyCommissionRateData(uint32 commissionRate,uint256 expiredAt)");
    bytes32 private constant CLAIMER_TYPE = keccak256("NodeSetRewardClaimerData(address claimer,uint256 expiredAt)");

    address public immutable license;

    uint32 public nodeIndex;
    uint32[] public activeVrfNodeList;
    mapping(address node => IVerifierService.NodeInfo) public nodeInfos;
    mapping(address node => uint32) public delegationWeights;
    mapping(uint32 id => address) public nodeAddrByID;
    mapping(uint256 tokenID => address node) public delegation;

    constructor(address settings_, address license_, string memory domainName, string memory domainVersion)
        RevertingSignatures(settings_, domainName, domainVersion)
    {
        license = license_;
    }

    function nodeEnter(address replaced) external {
        _enter(msg.sender, replaced);
    }

    function nodeExit() external {
        _exit(msg.sender);
    }

    function nodeModifyCommissionRate(uint32 commissionRate) external {
        _modifyCommissionRate(msg.sender, commissionRate);
    }

    function nodeSetRewardClaimer(address claimer) external {
        _setRewardClaimer(msg.sender, claimer);
    }

    function nodeEnterWithSignature(address replaced, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external {
        _authorize(keccak256(abi.encode(ENTER_TYPE, replaced, expiredAt)), expiredAt, signer, v, r, s);
        _enter(signer, replaced);
    }

    function nodeExitWithSignature(uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external {
        _authorize(keccak256(abi.encode(EXIT_TYPE, expiredAt)), expiredAt, signer, v, r, s);
        _exit(signer);
    }

    function nodeModifyCommissionRateWithSignature(uint32 rate, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external {
        _authorize(keccak256(abi.encode(COMMISSION_TYPE, rate, expiredAt)), expiredAt, signer, v, r, s);
        _modifyCommissionRate(signer, rate);
    }

    function nodeSetRewardClaimerWithSignature(address claimer, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external {
        _authorize(keccak256(abi.encode(CLAIMER_TYPE, claimer, expiredAt)), expiredAt, signer, v, r, s);
        _setRewardClaimer(signer, claimer);
    }

    function nodeReportDailyActive(address node) external virtual {
        require(nodeInfos[node].active, RevertingReasons.NOT_ACTIVE);
        emit IVerifierService.NodeDailyActive(node, uint32(block.timestamp / _settings.dayLength()));
    }

    function delegate(uint256 tokenID, address to) external {
        require(IERC721(license).ownerOf(tokenID) == msg.sender, RevertingReasons.NOT_TOKEN_OWNER);
        _point(tokenID, to);
        emit IVerifierService.Delegate(tokenID, to);
    }

    function undelegate(uint256 tokenID) external {
        require(IERC721(license).ownerOf(tokenID) == msg.sender, RevertingReasons.NOT_TOKEN_OWNER);
        _point(tokenID, msg.sender);
        emit IVerifierService.Undelegate(tokenID, msg.sender);
    }

    function onLicenseMoved(uint256 tokenID, address to) external {
        require(msg.sender == license, RevertingReasons.NOT_LICENSE_CONTRACT);
        _point(tokenID, to);
    }

    function _point(uint256 tokenID, address to) internal virtual {
        if (delegation[tokenID] != address(0)) delegationWeights[delegation[tokenID]]--;
        delegation[tokenID] = to;
        delegationWeights[to]++;
    }

    function _enter(address node, address replaced) private {
        IVerifierService.NodeInfo storage info = nodeInfos[node];
        require(delegationWeights[node] != 0, RevertingReasons.NO_DELEGATION_WEIGHTS);
        require(!info.active, RevertingReasons.ALREADY_ENTER);
        if (info.id == 0) {
            info.id = ++nodeIndex;
            nodeAddrByID[info.id] = node;
            emit IVerifierService.NodeRegister(node, info.id);
        }
        bool isFull = activeVrfNodeList.length >= _settings.rules().maxActiveNodes;
        if (!isFull) {
            info.listIndex = uint32(activeVrfNodeList.length);
            activeVrfNodeList.push(info.id);
        } else {
            require(nodeInfos[replaced].active, RevertingReasons.REPLACED_NOT_ACTIVE);
            require(delegationWeights[node] > delegationWeights[replaced], RevertingReasons.LESS_WEIGHTS);
            info.listIndex = nodeInfos[replaced].listIndex;
            activeVrfNodeList[info.listIndex] = info.id;
        }
        info.active = true;
        info.lastEnterTime = block.timestamp;
        emit IVerifierService.NodeActivate(node, info.listIndex);
        // Vouch's own service emits `NodeClear` first; the contract in use emits it after `NodeActivate`.
        if (isFull) _clear(replaced);
    }

    function _exit(address node) internal {
        IVerifierService.NodeInfo storage info = nodeInfos[node];
        require(info.active, RevertingReasons.ALREADY_EXIT);
        uint32 last = activeVrfNodeList[activeVrfNodeList.length - 1];
        activeVrfNodeList[info.listIndex] = last;
        nodeInfos[nodeAddrByID[last]].listIndex = info.listIndex;
        activeVrfNodeList.pop();
        _clear(node);
    }

    function _clear(address node) internal virtual {
        nodeInfos[node].active = false;
        emit IVerifierService.NodeClear(node);
    }

    function _modifyCommissionRate(address node, uint32 rate) private {
        IVerifierService.NodeInfo storage info = nodeInfos[node];
        ISettings.Rules memory rules = _settings.rules();
        require(info.id != 0, RevertingReasons.NOT_REGISTER);
        require(rate <= 10_000, RevertingReasons.COMMISSION_VALUE);
        require(info.lastModifyAt + rules.commissionInterval <= block.timestamp, RevertingReasons.COMMISSION_INTERVAL);
        require(rate <= info.commissionRate + rules.maxCommissionIncrease, RevertingReasons.COMMISSION_STEP);
        info.commissionRate = rate;
        info.lastModifyAt = block.timestamp;
        emit IVerifierService.NodeModifyCommissionRate(node, rate);
    }

    function _setRewardClaimer(address node, address claimer) private {
        nodeInfos[node].claimer = claimer;
        emit IVerifierService.NodeSetClaimer(node, claimer);
    }
}
