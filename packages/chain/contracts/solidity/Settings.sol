// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ISettings} from "./interfaces/ISettings.sol";

/// @title The current and announced settings of a deployment. `ISettings` documents each setting.
contract Settings is ISettings, Ownable2Step {
    // A year: longer periods are mistakes, and sums of shorter periods stay within their types.
    uint256 private constant LONGEST_PERIOD = 365 days;
    uint256 private constant LARGEST_SET = 10_000;
    uint256 private constant MOST_CHOSEN = 1_000;
    // In 1/10000: a quorum of all nodes could never be exceeded.
    uint256 private constant HIGHEST_QUORUM = 9_999;

    struct Amounts {
        uint128 dailyReward;
        uint128 slashAmount;
    }

    uint32 public immutable override changeDelay;

    // `next` is in force from `effectiveAt`, `current` before.
    struct TimedRules {
        Rules current;
        Rules next;
        uint256 effectiveAt;
    }

    struct TimedVerdictRules {
        VerdictRules current;
        VerdictRules next;
        uint256 effectiveAt;
    }

    struct TimedAmounts {
        Amounts current;
        Amounts next;
        uint256 effectiveAt;
    }

    TimedRules private _rules;
    TimedVerdictRules private _verdictRules;
    TimedAmounts private _amounts;

    constructor(
        Rules memory firstRules,
        VerdictRules memory firstVerdictRules,
        uint128 firstDailyReward,
        uint128 firstSlashAmount,
        uint32 changeDelay_
    ) Ownable(msg.sender) {
        if (changeDelay_ > LONGEST_PERIOD) revert RuleOutOfRange("changeDelay");
        changeDelay = changeDelay_;
        _announce(firstRules, block.timestamp);
        _announce(firstVerdictRules, block.timestamp);
        _announce(Amounts(firstDailyReward, firstSlashAmount), block.timestamp);
    }

    function setRules(Rules calldata next) external override onlyOwner {
        if (next.dayLength != dayLength()) revert DayLengthIsFixed(dayLength());
        _announce(next, block.timestamp + changeDelay);
    }

    function setVerdictRules(VerdictRules calldata next) external override onlyOwner {
        _announce(next, block.timestamp + changeDelay);
    }

    function setAmounts(uint128 nextDailyReward, uint128 nextSlashAmount) external override onlyOwner {
        _announce(Amounts(nextDailyReward, nextSlashAmount), block.timestamp + changeDelay);
    }

    function effectiveTimes() external view override returns (uint256, uint256, uint256) {
        return (_rules.effectiveAt, _verdictRules.effectiveAt, _amounts.effectiveAt);
    }

    function rules() public view override returns (Rules memory) {
        return block.timestamp < _rules.effectiveAt ? _rules.current : _rules.next;
    }

    function verdictRules() public view override returns (VerdictRules memory) {
        return block.timestamp < _verdictRules.effectiveAt ? _verdictRules.current : _verdictRules.next;
    }

    function dayLength() public view override returns (uint32) {
        return _rules.next.dayLength;
    }

    function dailyReward() external view override returns (uint128) {
        return _amountsNow().dailyReward;
    }

    function slashAmount() external view override returns (uint128) {
        return _amountsNow().slashAmount;
    }

    function _amountsNow() private view returns (Amounts memory) {
        return block.timestamp < _amounts.effectiveAt ? _amounts.current : _amounts.next;
    }

    function _announce(Rules memory next, uint256 effectiveAt) private {
        _check(next.reportWindow, LONGEST_PERIOD, "reportWindow");
        _check(next.maxExpiry, LONGEST_PERIOD, "maxExpiry");
        _check(next.commissionInterval, LONGEST_PERIOD, "commissionInterval");
        _check(next.dayLength, LONGEST_PERIOD, "dayLength");
        _check(next.minOnline, next.dayLength - 1, "minOnline");
        _check(next.maxActiveNodes, LARGEST_SET, "maxActiveNodes");
        _check(next.maxChosenNodes, MOST_CHOSEN, "maxChosenNodes");
        _check(next.maxCommissionIncrease, 10_000, "maxCommissionIncrease");
        _check(next.maxMissedReports, type(uint16).max, "maxMissedReports");
        _check(next.maxDelegations, type(uint16).max, "maxDelegations");
        _rules.current = rules();
        (_rules.next, _rules.effectiveAt) = (next, effectiveAt);
        emit RulesAnnounced(next, effectiveAt);
    }

    function _announce(VerdictRules memory next, uint256 effectiveAt) private {
        _check(next.quorum, HIGHEST_QUORUM, "quorum");
        _check(next.randomnessRetry, LONGEST_PERIOD, "randomnessRetry");
        _check(next.selectionPeriod, LONGEST_PERIOD, "selectionPeriod");
        _check(next.slashDelay, LONGEST_PERIOD, "slashDelay");
        _verdictRules.current = verdictRules();
        (_verdictRules.next, _verdictRules.effectiveAt) = (next, effectiveAt);
        emit VerdictRulesAnnounced(next, effectiveAt);
    }

    function _announce(Amounts memory next, uint256 effectiveAt) private {
        _amounts.current = _amountsNow();
        (_amounts.next, _amounts.effectiveAt) = (next, effectiveAt);
        emit AmountsAnnounced(next.dailyReward, next.slashAmount, effectiveAt);
    }

    function _check(uint256 value, uint256 highest, string memory rule) private pure {
        if (value == 0 || value > highest) revert RuleOutOfRange(rule);
    }
}
