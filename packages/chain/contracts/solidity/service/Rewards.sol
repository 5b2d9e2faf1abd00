// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IRewardPool} from "../interfaces/IRewardPool.sol";
import {ISettings} from "../interfaces/ISettings.sol";
import {Reasons, _require} from "./Reasons.sol";
import {State} from "./State.sol";

/// @title Daily activity and its rewards.
/// @dev The reward of a day is reserved when the first node reports it, and shared by weight among the nodes that were
/// active on it. A node's share is settled before its inputs change: its weight, its commission and the
/// next active day. So at most one day of a node is unsettled, and the weight of a day is the weight at its end. A license earns a day if
/// it counts for the node as long as the node must be active: a license that leaves loses the day, and a license that is added later than
/// `minOnline` before the end of the day does not count for the day.
/// Each settlement takes its share of the remaining pot and weight, so the shares add up to the pot exactly.
abstract contract Rewards is State {
    uint256 internal constant WHOLE_RATE = 10_000;

    /// @dev Why a node's day is currently not credited.
    enum DayRefusal {
        None,
        NotActive,
        NoWeights,
        AlreadyReported,
        TooShort
    }

    function nodeReportDailyActive(address node) external override {
        Node storage n = _nodes[node];
        DayRefusal refusal = _refuseActiveDay(n);
        _require(refusal != DayRefusal.NotActive, Reasons.NOT_ACTIVE);
        _require(refusal != DayRefusal.NoWeights, Reasons.NO_WEIGHTS);
        _require(refusal != DayRefusal.AlreadyReported, Reasons.ALREADY_REPORT_TODAY);
        _require(refusal != DayRefusal.TooShort, Reasons.ONLINE_TOO_SHORT);
        _creditToday(node, n);
    }

    function confirmNodeRewards(address node) external override {
        _settle(node);
    }

    function nodeClaim(address node) external override {
        Node storage n = _nodes[node];
        address claimer = n.claimer == address(0) ? node : n.claimer;
        _require(msg.sender == node || msg.sender == claimer, Reasons.NOT_CLAIMER);
        _settle(node);
        uint128 rewards = n.selfTotal - n.selfClaimed;
        _require(rewards != 0, Reasons.NO_REWARDS);
        n.selfClaimed = n.selfTotal;
        emit NodeClaim(node, claimer, rewards);
        _pay(claimer, rewards);
    }

    function claimRewards(uint256 tokenID) external override {
        _requireHolder(tokenID);
        License storage token = _licenses[tokenID];
        _settle(token.node);
        _accrue(token);
        uint128 rewards = token.total - token.claimed;
        _require(rewards != 0, Reasons.NO_REWARDS);
        token.claimed = token.total;
        emit ClaimRewards(tokenID, msg.sender, rewards);
        _pay(msg.sender, rewards);
    }

    function releaseDay(uint32 date) external override {
        _require(date < currentDate(), Reasons.DAY_NOT_OVER);
        Day storage day = _days[date];
        _require(day.weight == day.settled && day.pot != 0, Reasons.NO_REWARDS);
        uint128 pot = day.pot;
        day.pot = 0;
        _release(pot);
    }

    function claimableRewards(uint256 tokenID) external view override returns (uint256) {
        License storage token = _licenses[tokenID];
        return token.total - token.claimed + (_nodes[token.node].perLicense - _markOf(token));
    }

    /// @dev Settles the node's last active day if it is over.
    function _settle(address node) internal {
        Node storage n = _nodes[node];
        uint32 date = n.lastActiveDate;
        if (date <= n.lastConfirmDate || date >= currentDate()) return;
        n.lastConfirmDate = date;
        uint32 weight = _earningWeight(n, date);
        _settledWeights[node][date / DAYS_PER_WORD] |= uint256(weight) << _shiftOfDay(date);
        uint128 share = _takeShare(_days[date], weight);
        if (share == 0) return;
        uint128 self = uint128((uint256(share) * n.commissionRate) / WHOLE_RATE);
        uint128 perLicense = (share - self) / weight;
        // The node keeps the remainder of the division among the licenses.
        n.selfTotal += share - perLicense * weight;
        n.perLicense += perLicense;
        if (n.lateDate == date) _lateMarks[node][date] = n.perLicense;
        emit NodeConfirmReward(node, int256(uint256(n.selfTotal)), n.perLicense);
    }

    function _takeShare(Day storage day, uint32 weight) private returns (uint128 share) {
        if (weight == 0) return 0;
        share = uint128((uint256(day.pot) * weight) / (day.weight - day.settled));
        day.pot -= share;
        day.settled += weight;
    }

    /// @dev Updates the rewards of a license from the node that it counts for.
    function _accrue(License storage token) internal {
        uint128 perLicense = _nodes[token.node].perLicense;
        token.total += perLicense - _markOf(token);
        token.mark = perLicense;
    }

    function _markOf(License storage token) private view returns (uint128) {
        uint128 lateMark = _lateMarks[token.node][token.lateDate];
        return lateMark > token.mark ? lateMark : token.mark;
    }

    /// @dev Whether today can be credited to a node: it is active with a license, long enough, and the day is not credited yet.
    function _refuseActiveDay(Node storage n) internal view returns (DayRefusal) {
        if (!n.active) return DayRefusal.NotActive;
        if (n.weight == 0) return DayRefusal.NoWeights;
        uint32 today = currentDate();
        if (n.lastActiveDate == today) return DayRefusal.AlreadyReported;
        uint256 dayStart = uint256(today) * _dayLength;
        uint256 since = n.lastEnterTime > dayStart ? n.lastEnterTime : dayStart;
        return block.timestamp - since < _rules().minOnline ? DayRefusal.TooShort : DayRefusal.None;
    }

    /// @dev Credits today to the node; its share follows from its weight at the end of the day.
    function _creditToday(address node, Node storage n) internal {
        _settle(node);
        uint32 today = currentDate();
        n.lastActiveDate = today;
        Day storage day = _days[today];
        if (!day.opened) {
            day.opened = true;
            day.pot = uint128(IRewardPool(rewardPool).reserve(_settings.dailyReward()));
        }
        day.weight += _earningWeight(n, today);
        emit NodeDailyActive(node, today);
    }

    function _isActiveToday(Node storage n) internal view returns (bool) {
        return n.lastActiveDate > n.lastConfirmDate && n.lastActiveDate == currentDate();
    }

    /// @dev Takes up to the slash amount from the unclaimed rewards of the node.
    function _takeSlash(address node) internal returns (uint128 taken) {
        _settle(node);
        Node storage n = _nodes[node];
        uint128 unclaimed = n.selfTotal - n.selfClaimed;
        uint128 wanted = ISettings(_settings).slashAmount();
        taken = wanted < unclaimed ? wanted : unclaimed;
        if (taken == 0) return 0;
        n.selfClaimed += taken;
        _release(taken);
    }

    /// @dev As with `_rules`, the code contains each call of the pool only once.
    function _pay(address to, uint128 amount) private {
        IRewardPool(rewardPool).pay(to, amount);
    }

    function _release(uint128 amount) private {
        IRewardPool(rewardPool).release(amount);
    }
}
