// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ISettings} from "./interfaces/ISettings.sol";

/// @title The numbers of a deployment. What each means is told by `ISettings`.
contract Settings is ISettings, Ownable2Step {
    // A year: longer periods are mistakes, and shorter ones keep sums of times within their types.
    uint256 private constant LONGEST_PERIOD = 365 days;
    uint256 private constant LARGEST_SET = 10_000;
    uint256 private constant MOST_CHOSEN = 1_000;

    Rules private _rules;
    uint128 public override dailyReward;
    uint128 public override slashAmount;

    constructor(Rules memory first, uint128 firstDailyReward, uint128 firstSlashAmount) Ownable(msg.sender) {
        _set(first);
        _setAmounts(firstDailyReward, firstSlashAmount);
    }

    function setRules(Rules calldata next) external override onlyOwner {
        if (next.dayLength != _rules.dayLength) revert DayLengthIsFixed(_rules.dayLength);
        _set(next);
    }

    function setAmounts(uint128 nextDailyReward, uint128 nextSlashAmount) external override onlyOwner {
        _setAmounts(nextDailyReward, nextSlashAmount);
    }

    function rules() external view override returns (Rules memory) {
        return _rules;
    }

    function dayLength() external view override returns (uint32) {
        return _rules.dayLength;
    }

    function _set(Rules memory next) private {
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
        _rules = next;
        emit RulesChanged(next);
    }

    function _setAmounts(uint128 nextDailyReward, uint128 nextSlashAmount) private {
        dailyReward = nextDailyReward;
        slashAmount = nextSlashAmount;
        emit AmountsChanged(nextDailyReward, nextSlashAmount);
    }

    function _check(uint256 value, uint256 highest, string memory rule) private pure {
        if (value == 0 || value > highest) revert RuleOutOfRange(rule);
    }
}
