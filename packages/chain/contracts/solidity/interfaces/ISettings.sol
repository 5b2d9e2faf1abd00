// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Numbers that the owner may change, and the periods of a deployment.
/// @notice The owner announces a change; the change takes effect by itself `changeDelay` seconds later. Announcing again before then
/// replaces what was announced, and announcing the numbers in force takes an announcement back. All views give the numbers in force now.
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

    /// @notice What makes votes a verdict; one storage slot. Durations are in seconds.
    /// @param quorum part of the chosen nodes, in 1/10000, that has to be exceeded by those that voted; 5000: more than half
    /// @param randomnessRetry how long after a request anybody may ask for the random word again
    /// @param selectionPeriod how long after its report an attestation waits for a random word; then it ends without chosen nodes
    /// @param slashDelay how long a proposal to slash a contradicting vote can be disputed
    struct VerdictRules {
        uint16 quorum;
        uint32 randomnessRetry;
        uint32 selectionPeriod;
        uint32 slashDelay;
    }

    /// @notice Announcements: the numbers are in force from `effectiveAt` on, in seconds.
    event RulesAnnounced(Rules rules, uint256 effectiveAt);
    event VerdictRulesAnnounced(VerdictRules rules, uint256 effectiveAt);
    event AmountsAnnounced(uint128 dailyReward, uint128 slashAmount, uint256 effectiveAt);

    /// @notice A rule is zero or beyond its bound.
    error RuleOutOfRange(string rule);
    error DayLengthIsFixed(uint32 dayLength);

    /// @notice Announces rules. For the owner.
    /// @dev Reverts: `RuleOutOfRange`, `DayLengthIsFixed`.
    function setRules(Rules calldata rules) external;

    /// @notice Announces what makes a verdict. For the owner. Attestations whose nodes are chosen keep the quorum of their choosing.
    /// @dev Reverts: `RuleOutOfRange`.
    function setVerdictRules(VerdictRules calldata rules) external;

    /// @notice Announces what all nodes of a day share, and what a slash takes, in the smallest unit of the reward token. For the owner.
    function setAmounts(uint128 dailyReward, uint128 slashAmount) external;

    function rules() external view returns (Rules memory);
    function verdictRules() external view returns (VerdictRules memory);
    function dayLength() external view returns (uint32);
    function dailyReward() external view returns (uint128);
    function slashAmount() external view returns (uint128);

    /// @notice Seconds between an announcement and its effect. Fixed for ever, so that no owner can shorten the notice.
    function changeDelay() external view returns (uint32);

    /// @notice When what was announced last is in force, in seconds, in the past for what is.
    function effectiveTimes() external view returns (uint256 rules, uint256 verdictRules, uint256 amounts);
}
