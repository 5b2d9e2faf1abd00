// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IRewardPool} from "../../../solidity/interfaces/IRewardPool.sol";
import {IVerifierService as S} from "../../../solidity/interfaces/IVerifierService.sol";
import {Vm} from "../Vm.sol";
import {AttestationLedger} from "./AttestationLedger.sol";

/// @title Licenses, nodes, days and money as the events tell of them, kept apart from the contracts.
/// @dev An event that breaks a rule reverts, which fails the history at the call that emitted it.
abstract contract Ledger is AttestationLedger {
    uint256 public constant LICENSES_MOST = 24;

    // Licenses
    mapping(uint256 tokenID => address) public holderOf;
    mapping(uint256 tokenID => address node) public countsFor;
    mapping(uint256 tokenID => bool) public delegated;
    mapping(uint256 tokenID => uint256 day) private _lateDay;
    mapping(address node => uint256) public delegationsOf;

    // Nodes
    mapping(address node => uint256) public commissionOf;

    // Days
    mapping(address node => uint32) private _creditedDay;
    mapping(address node => uint32) private _settledDay;
    address[] internal _creditedToday;
    uint32[] public creditedDays;
    // Days that nobody can claim of, since no credited node had a license at their end.
    uint32[] internal _abandonedDays;

    // Money
    uint256 public reserved;
    uint256 public released;
    uint256 public paid;
    mapping(uint256 tokenID => uint256) public earnedByLicense;
    mapping(uint256 tokenID => uint256) public paidToLicense;
    mapping(address node => uint256) public earnedByNode;

    /// @dev Licenses first: a contract tells of a move of a license after what follows from the move.
    function note(Vm.Log[] memory logs) internal {
        for (uint256 i = 0; i < logs.length; i++) _noteLicense(logs[i].topics, logs[i].data);
        for (uint256 i = 0; i < logs.length; i++) {
            if (logs[i].emitter == address(pool)) _noteMoney(logs[i].topics[0], logs[i].data);
            if (logs[i].emitter == address(slasher)) _noteProposal(logs[i].topics, logs[i].data);
            if (logs[i].emitter != address(service)) continue;
            _noteNode(logs[i].topics[0], logs[i].data);
            _noteReward(logs[i].topics[0], logs[i].data);
            _noteAttestation(logs[i].topics, logs[i].data);
        }
    }

    function _noteLicense(bytes32[] memory topics, bytes memory data) private {
        if (topics[0] == IERC721.Transfer.selector && topics.length == 4) {
            uint256 tokenID = uint256(topics[3]);
            holderOf[tokenID] = address(uint160(uint256(topics[2])));
            _count(tokenID, holderOf[tokenID], false);
        } else if (topics[0] == S.Delegate.selector || topics[0] == S.Redelegate.selector) {
            (uint256 tokenID, address to) = abi.decode(data, (uint256, address));
            _count(tokenID, to, true);
        } else if (topics[0] == S.Undelegate.selector) {
            (uint256 tokenID,) = abi.decode(data, (uint256, address));
            _count(tokenID, holderOf[tokenID], false);
        }
    }

    function _count(uint256 tokenID, address node, bool isDelegated) private {
        address before = countsFor[tokenID];
        if (before != address(0)) weightOf[before]--;
        if (delegated[tokenID]) delegationsOf[before]--;
        (countsFor[tokenID], delegated[tokenID]) = (node, isDelegated);
        // What comes later than this cannot be with its node for its hours of the day.
        uint256 latest = (uint256(_today()) + 1) * defaultRules().dayLength - defaultRules().minOnline;
        _lateDay[tokenID] = block.timestamp > latest ? _today() : 0;
        weightOf[node]++;
        if (isDelegated) delegationsOf[node]++;
    }

    function _noteNode(bytes32 topic, bytes memory data) private {
        if (topic == S.NodeRegister.selector) {
            (address node, uint32 id) = abi.decode(data, (address, uint32));
            require(idOf[node] == 0 && nodeOf[id] == address(0), "registered twice");
            (idOf[node], nodeOf[id]) = (id, node);
        } else if (topic == S.NodeActivate.selector) {
            (address node,) = abi.decode(data, (address, uint32));
            require(activeSince[node] == 0 && weightOf[node] != 0, "entered twice, or without a license");
            activeSince[node] = block.timestamp;
            if (missesOf[node] >= defaultRules().maxMissedReports) missesOf[node] = 0;
        } else if (topic == S.NodeClear.selector) {
            address node = abi.decode(data, (address));
            require(activeSince[node] != 0, "left without being active");
            require(!_hasItsHours(node) || weightOf[node] == 0 || _creditedDay[node] == _today(), "left without the day's credit");
            activeSince[node] = 0;
        } else if (topic == S.NodeModifyCommissionRate.selector) {
            (address node, uint32 rate) = abi.decode(data, (address, uint32));
            commissionOf[node] = rate;
        }
    }

    function _noteReward(bytes32 topic, bytes memory data) private {
        if (topic == S.NodeDailyActive.selector) {
            (address node, uint32 date) = abi.decode(data, (address, uint32));
            require(date == _today() && _creditedDay[node] != date, "credited for another day, or twice");
            require(_hasItsHours(node) && weightOf[node] != 0, "credited without the hours or a license");
            _creditedDay[node] = date;
            if (_creditedToday.length == 0) creditedDays.push(date);
            _creditedToday.push(node);
        } else if (topic == S.NodeConfirmReward.selector) {
            (address node,,) = abi.decode(data, (address, int256, uint256));
            require(_creditedDay[node] < _today() && _creditedDay[node] > _settledDay[node], "a reward without a credited day that is over");
            _settledDay[node] = _creditedDay[node];
        } else if (topic == S.ClaimRewards.selector) {
            (uint256 tokenID, address claimer, uint256 rewards) = abi.decode(data, (uint256, address, uint256));
            require(claimer == holderOf[tokenID], "paid to somebody else than the holder");
            paidToLicense[tokenID] += rewards;
        } else if (topic == S.NodeClaim.selector) {
            (address node,, uint256 rewards) = abi.decode(data, (address, address, uint256));
            paidOrSlashed[node] += rewards;
        }
    }

    function _noteMoney(bytes32 topic, bytes memory data) private {
        if (topic == IRewardPool.Reserved.selector) reserved += abi.decode(data, (uint256));
        if (topic == IRewardPool.Released.selector) released += abi.decode(data, (uint256));
        if (topic == IRewardPool.Paid.selector) paid += abi.decode(data, (uint256));
    }

    /// @notice Shares out the reward of today by what holds at its end; call before the time moves to another day.
    function closeDay() internal {
        uint256 total = 0;
        for (uint256 i = 0; i < _creditedToday.length; i++) total += _earningWeight(_creditedToday[i]);
        for (uint256 i = 0; i < _creditedToday.length; i++) _shareOut(_creditedToday[i], total);
        if (_creditedToday.length != 0 && total == 0) _abandonedDays.push(_today());
        delete _creditedToday;
    }

    function _shareOut(address node, uint256 total) private {
        uint256 weight = _earningWeight(node);
        if (weight == 0) return;
        uint256 share = DAILY_REWARD * weight / total;
        uint256 perLicense = (share - share * commissionOf[node] / 10_000) / weight;
        earnedByNode[node] += share - perLicense * weight;
        for (uint256 tokenID = 1; tokenID <= LICENSES_MOST; tokenID++) {
            if (_earnsToday(tokenID, node)) earnedByLicense[tokenID] += perLicense;
        }
    }

    function _earningWeight(address node) private view returns (uint256 weight) {
        for (uint256 tokenID = 1; tokenID <= LICENSES_MOST; tokenID++) if (_earnsToday(tokenID, node)) weight++;
    }

    function _earnsToday(uint256 tokenID, address node) private view returns (bool) {
        return countsFor[tokenID] == node && _lateDay[tokenID] != _today();
    }

    function _canBeCredited(address node) internal view returns (bool) {
        return _creditedDay[node] != _today() && _hasItsHours(node);
    }

    function _hasItsHours(address node) private view returns (bool) {
        uint256 dayStart = uint256(_today()) * defaultRules().dayLength;
        uint256 since = activeSince[node] > dayStart ? activeSince[node] : dayStart;
        return activeSince[node] != 0 && block.timestamp - since >= defaultRules().minOnline;
    }

    function _today() internal view returns (uint32) {
        return uint32(block.timestamp / defaultRules().dayLength);
    }
}
