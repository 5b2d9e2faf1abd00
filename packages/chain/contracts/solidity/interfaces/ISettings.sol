// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Numbers that the owner may change, and the periods of a deployment.
interface ISettings {
    /// @notice One storage slot of numbers; durations are in seconds.
    /// @param reportWindow how long chosen nodes may report
    /// @param maxExpiry how far ahead a signed message may expire
    /// @param commissionInterval least time between two changes of a commission
    /// @param dayLength length of a day of rewards; fixed for ever, since it numbers the days
    /// @param minOnline how long a node has to be active in a day to earn
    /// @param maxActiveNodes size of the active set
    /// @param maxChosenNodes nodes chosen for an attestation
    /// @param maxCommissionIncrease largest increase of a commission at once, in 1/10000
    /// @param maxMissedReports missed reports that end a membership of the active set
    /// @param maxDelegations licenses that others may delegate to one node
    struct Rules {
        uint32 reportWindow;
        uint32 maxExpiry;
        uint32 commissionInterval;
        uint32 dayLength;
        uint32 minOnline;
        uint16 maxActiveNodes;
        uint16 maxChosenNodes;
        uint16 maxCommissionIncrease;
        uint16 maxMissedReports;
        uint16 maxDelegations;
    }

    event RulesChanged(Rules rules);
    event AmountsChanged(uint128 dailyReward, uint128 slashAmount);

    /// @notice A rule is zero or beyond its bound.
    error RuleOutOfRange(string rule);
    error DayLengthIsFixed(uint32 dayLength);

    /// @dev For the owner. Reverts: `RuleOutOfRange`, `DayLengthIsFixed`.
    function setRules(Rules calldata rules) external;

    /// @notice Sets what all nodes of a day share, and what a slash takes, in the smallest unit of the reward token. For the owner.
    function setAmounts(uint128 dailyReward, uint128 slashAmount) external;

    function rules() external view returns (Rules memory);
    function dayLength() external view returns (uint32);
    function dailyReward() external view returns (uint128);
    function slashAmount() external view returns (uint128);
}
