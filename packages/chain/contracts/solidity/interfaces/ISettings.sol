// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Settings of a deployment, most of which the owner can change.
/// @notice The owner announces a change, which takes effect `changeDelay` seconds later. Another announcement before then
/// replaces the first, and announcing the current values withdraws an announcement. All views return the current values.
interface ISettings {
    /// @notice One storage slot of settings; durations are in seconds.
    /// @param reportWindow how long chosen nodes can report
    /// @param maxExpiry maximum time until the expiry of a signed message
    /// @param commissionInterval minimum time between two changes of a commission
    /// @param dayLength length of a reward day; fixed, because it determines the numbers of days
    /// @param minOnline how long a node must be active on a day to earn
    /// @param maxActiveNodes size of the active set
    /// @param maxChosenNodes maximum number of nodes chosen for an attestation
    /// @param maxCommissionIncrease largest increase of a commission at once, in 1/10000
    /// @param maxMissedReports number of missed reports that removes a node from the active set
    /// @param maxDelegations maximum number of licenses delegated to one node
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

    /// @notice Rules for verdicts; one storage slot. Durations are in seconds.
    /// @param quorum share of the chosen nodes, in 1/10000, that the number of votes must exceed; 5000: more than half
    /// @param randomnessRetry time after a request until anyone can request the random word again
    /// @param selectionPeriod time that an attestation waits for a random word; afterwards it ends without chosen nodes
    /// @param slashDelay how long a proposal to slash a contradicting vote can be disputed
    struct VerdictRules {
        uint16 quorum;
        uint32 randomnessRetry;
        uint32 selectionPeriod;
        uint32 slashDelay;
    }

    /// @notice Announcements: the values are in force from `effectiveAt`, in seconds.
    event RulesAnnounced(Rules rules, uint256 effectiveAt);
    event VerdictRulesAnnounced(VerdictRules rules, uint256 effectiveAt);
    event AmountsAnnounced(uint128 dailyReward, uint128 slashAmount, uint256 effectiveAt);

    /// @notice A rule is zero or out of range.
    error RuleOutOfRange(string rule);
    error DayLengthIsFixed(uint32 dayLength);

    /// @notice Announces rules. Only for the owner.
    /// @dev Reverts: `RuleOutOfRange`, `DayLengthIsFixed`.
    function setRules(Rules calldata rules) external;

    /// @notice Announces rules for verdicts. Only for the owner. Attestations with chosen nodes keep the quorum from the time of the selection.
    /// @dev Reverts: `RuleOutOfRange`.
    function setVerdictRules(VerdictRules calldata rules) external;

    /// @notice Announces the daily reward of all nodes and the amount of a slash, in the smallest unit of the reward token. Only for the owner.
    function setAmounts(uint128 dailyReward, uint128 slashAmount) external;

    function rules() external view returns (Rules memory);
    function verdictRules() external view returns (VerdictRules memory);
    function dayLength() external view returns (uint32);
    function dailyReward() external view returns (uint128);
    function slashAmount() external view returns (uint128);

    /// @notice Seconds between an announcement and its effect. Fixed, so that no owner can shorten the notice.
    function changeDelay() external view returns (uint32);

    /// @notice Time from which the last announcements are in force, in seconds.
    function effectiveTimes() external view returns (uint256 rules, uint256 verdictRules, uint256 amounts);
}
