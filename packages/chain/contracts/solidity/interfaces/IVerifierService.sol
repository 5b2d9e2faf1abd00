// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The registry of verifier nodes: active set, reports and rewards.
/// @notice Each operation of a node exists twice: sent by the node itself, or signed by the node (EIP-712, a domain of name,
/// version and chain id, without verifyingContract) and sent by anyone.
///
/// Three guarantees in addition to the rules:
/// - *Once.* A signed message takes effect at most once per signer. `usedDigest` remembers the four rare operations, the
///   votes of an attestation remember reports. A message that was never applied is never rejected because of another message.
/// - *Isolation.* In `nodeReportVerificationBatch` an entry that breaks a rule is skipped, with a `ReportSkipped`; in
///   `multicall` only the failing call is reverted, with a `CallFailed`.
/// - *Outcome by events.* A rare operation that took effect emits `OperationApplied(digest, signer)`; a signed report that
///   counts is an element of the `infos` of `NodeReportVerificationBatch`, any other signed report has a `ReportSkipped`.
///
/// Rules that a caller breaks revert with the short texts that each function lists; `ReportSkipped.reason` is one of the
/// same texts.
interface IVerifierService {
    /// @notice The record of a node.
    /// @param id number of the node, starting at 1; 0: the node never entered
    /// @param listIndex index in `activeVrfNodeList` while active, otherwise 2**32 - 1
    /// @param active member of the active set
    /// @param lastConfirmDate last day whose reward is settled
    /// @param missed number of missed reports; reset when the node enters again after missed reports removed it
    /// @param selfTotal earnings of the node itself: commission and the remainder of divisions among licenses
    /// @param selfClaimed part of `selfTotal` that was claimed or slashed
    /// @param delegationRewards earnings of one license that counted for this node since its first day
    /// @param lastEnterTime time of the last entering, in seconds
    /// @param claimer receiver of `selfTotal`; zero: the node
    /// @param commissionRate share of the reward that the node keeps, in 1/10000
    /// @param lastModifyAt time of the last change of the commission, in seconds
    struct NodeInfo {
        uint32 id;
        uint32 listIndex;
        bool active;
        uint32 lastConfirmDate;
        uint64 missed;
        uint256 selfTotal;
        uint256 selfClaimed;
        uint256 delegationRewards;
        uint256 lastEnterTime;
        address claimer;
        uint32 commissionRate;
        uint256 lastModifyAt;
    }

    /// @notice The record of an attestation.
    /// @param reporter TEE that reported the attestation; zero: the attestation does not exist
    /// @param valid votes for each result
    /// @param vrfChosenID key of the chosen nodes in `vrfChosenMap`
    /// @param deadline last second in which reports count; 0: the nodes are not chosen yet
    struct Attestation {
        address reporter;
        uint16 valid;
        uint16 invalid;
        uint16 malicious;
        uint32 vrfChosenID;
        uint256 deadline;
    }

    /// @notice State of an attestation. The states from `Valid` on are final.
    /// `Waiting`: for a random word. `Open`: chosen nodes report. `Valid`, `Invalid`, `Malicious`: the verdict. `NoVerdict`: fewer
    /// votes than the quorum, or no majority among them. `Unselected`: no random word arrived in time, so no nodes were chosen.
    enum AttestationState {
        Unknown,
        Waiting,
        Open,
        Valid,
        Invalid,
        Malicious,
        NoVerdict,
        Unselected
    }

    /// @notice A signed report. `result`: 0 valid, 1 invalid, 2 malicious. `index`: index of the node in the chosen list.
    struct VerificationInfo {
        uint8 result;
        uint32 index;
        address signer;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice A member of the active set.
    struct ActiveNode {
        address node;
        uint32 id;
        uint32 weight;
    }

    // Events: attestations

    event TeeReportAttestations(address tee, bytes32[] attestationIDs, string[] attestationInfos, uint256 requestID);
    /// @notice `requestId` is the id in `TeeReportAttestations`, even if the word was requested again.
    event ConfirmVrfNodes(uint256 requestId, uint32[] vrfChosen, uint256 deadline);
    /// @notice The random word of `requestId`, the id in `TeeReportAttestations`, was requested again: only the answer to `newRequestId` counts.
    event RandomnessRequestedAgain(uint256 indexed requestId, uint256 newRequestId);
    /// @notice A random word without a waiting request was received and ignored.
    event RandomnessIgnored(uint256 requestId);
    /// @notice How an attestation ended, emitted by `concludeAttestation`. `votesNeeded` is its quorum, 0 for `Unselected`.
    event AttestationConcluded(bytes32 indexed attestationID, AttestationState state, uint256 votes, uint256 votesNeeded);
    event TeeChanged(address indexed tee, bool allowed);
    event SlasherSet(address slasher);

    // Events: nodes

    event NodeRegister(address node, uint32 id);
    event NodeActivate(address node, uint32 listIndex);
    event NodeClear(address node);
    event NodeModifyCommissionRate(address node, uint32 commissionRate);
    event NodeSetClaimer(address node, address claimer);
    event NodeReportVerification(address node, bytes32 attestationID, uint8 result);
    /// @notice The reports of a batch that count, in the order of the call.
    event NodeReportVerificationBatch(bytes32 attestationID, VerificationInfo[] infos);
    event NodeSlash(address slasher, address node, bytes32 attestationID, uint256 rewards);
    event NodeDailyActive(address node, uint32 date);
    /// @notice A day of a node is settled. Both amounts are totals, as in `NodeInfo`: the earnings of the node itself, and of one
    /// license that counts for the node.
    event NodeConfirmReward(address node, int256 selfTotal, uint256 delegationRewards);
    event NodeClaim(address node, address claimer, uint256 rewards);

    // Events: delegation

    event Delegate(uint256 tokenID, address to);
    event Redelegate(uint256 tokenID, address to);
    /// @notice `from` is the node that the license counted for; the license now counts for its holder.
    event Undelegate(uint256 tokenID, address from);
    event ClaimRewards(uint256 tokenID, address claimer, uint256 rewards);

    // Events: outcomes of relayed operations

    /// @notice A signed enter, exit, commission or claimer took effect.
    event OperationApplied(bytes32 indexed digest, address indexed signer);
    /// @notice An entry of a batch of reports does not count, for `reason`. `signer` and `index` are the lowest bits of the values in
    /// the entry, `position` is its index in the call.
    event ReportSkipped(bytes32 indexed attestationID, address indexed signer, uint32 index, uint256 position, string reason);
    /// @notice A call of a multicall failed and changed nothing. `reason` is its revert data; empty: the call ran
    /// out of gas, or no function has the selector.
    event CallFailed(uint256 index, bytes reason);

    // Nodes

    /// @notice Enters the active set. If the set is full, `replaced` must be active and have less weight.
    /// @dev Reverts: "No delegationWeights", "Already enter", "Replaced node is not active", "Less weights".
    function nodeEnter(address replaced) external;

    /// @notice Leaves the active set.
    /// @dev Reverts: "Already exit".
    function nodeExit() external;

    /// @notice Sets the commission, in 1/10000.
    /// @dev Reverts: "Not register", "Value is too large", "Not meet min commission rate modify interval",
    /// "Modify too large at one time".
    function nodeModifyCommissionRate(uint32 commissionRate) external;

    /// @notice Sets the receiver of the node's own rewards; zero: the node itself.
    /// @dev Reverts: "Not register", if the node never entered and has no weight.
    function nodeSetRewardClaimer(address claimer) external;

    /// @dev Reverts as `nodeEnter` and: "Invalid expiredAt", "Invalid signature S", "signer not match", "Digest already used".
    function nodeEnterWithSignature(address replaced, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external;

    /// @dev Reverts as `nodeExit` and for the signature as `nodeEnterWithSignature`.
    function nodeExitWithSignature(uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external;

    /// @dev Reverts as `nodeModifyCommissionRate` and for the signature as `nodeEnterWithSignature`.
    function nodeModifyCommissionRateWithSignature(
        uint32 commissionRate, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s
    ) external;

    /// @dev Reverts as `nodeSetRewardClaimer` and for the signature as `nodeEnterWithSignature`.
    function nodeSetRewardClaimerWithSignature(address claimer, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) external;

    // Reports

    /// @notice Reports the result of an attestation; `index` is the index of the node in the chosen list. A chosen node can report until
    /// the deadline, even after it left the active set or lost its licenses.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline passed", "Unknown result", "Not chosen", "Already verify".
    function nodeReportVerification(bytes32 attestationID, uint32 index, uint8 result) external;

    /// @notice Submits signed reports of many nodes. An entry that breaks a rule is skipped.
    /// @dev Reverts, because no entry could count: "Attestation not exist", "Waiting vrf", "Deadline passed".
    /// Skips: "Malformed entry", "Unknown result", "Invalid signature S", "signer not match", "Not chosen", "Already verify".
    function nodeReportVerificationBatch(bytes32 attestationID, VerificationInfo[] calldata infos) external;

    /// @notice Slashes a node that missed its report or voted against the verdict. Anyone may call for a missed report, only the
    /// slasher for a vote against the verdict; after the deadline. A chosen node that left the active set must still
    /// report. `maxMissedReports` missed reports remove a node from the set. The first slash of an attestation also concludes it, as
    /// `concludeAttestation` does.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline not passed", "Not chosen", "Already slash", "Not to be slashed",
    /// "Not slasher".
    function nodeSlash(address node, bytes32 attestationID, uint32 index) external;

    // Attestations

    /// @notice Reports attestations; their ids are the hashes of the texts. `ConfirmVrfNodes` later lists the chosen nodes.
    /// @dev Reverts: "Not tee", "No attestations", "Attestation already exist".
    function teeReportAttestations(string[] calldata attestationInfos) external;

    /// @notice Allows or forbids an Ethereum address to report attestations. Only for the owner.
    function setTee(address tee, bool allowed) external;

    /// @notice Requests the random word of waiting attestations again. Anyone may call, `randomnessRetry` seconds after the last
    /// request. Answers to earlier requests have no effect afterwards.
    /// @param requestID id in `TeeReportAttestations`, or of a later request for the same attestations
    /// @dev Reverts: "Not waiting vrf", "Asked recently".
    function requestRandomnessAgain(uint256 requestID) external;

    /// @notice Emits how an attestation ended (`AttestationConcluded`), once. Anyone may call; later calls have no effect.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline not passed".
    function concludeAttestation(bytes32 attestationID) external;

    /// @notice Sets the contract that slashes votes against the verdict, once. Only for the owner.
    /// @dev Reverts: "Slasher already set".
    function setSlasher(address slasher) external;

    // Rewards

    /// @notice Reports that a node was active long enough today. Anyone may call, once per node and day. A node that leaves the active set
    /// after it was active long enough is credited without a report.
    /// @dev Reverts: "Not active", "No weights", "Online time is too short", "Already report today".
    function nodeReportDailyActive(address node) external;

    /// @notice Settles the rewards of past days.
    function confirmNodeRewards(address node) external;

    /// @notice Pays the node's own rewards to its claimer. Only for the node and its claimer.
    /// @dev Reverts: "Not claimer", "No rewards".
    function nodeClaim(address node) external;

    /// @notice Pays the rewards of a license to its holder.
    /// @dev Reverts: "Not token owner", "No rewards".
    function claimRewards(uint256 tokenID) external;

    /// @notice Returns the unclaimable rest of a past day to the pool, if no weight shares in the day.
    /// @dev Reverts: "Day is not over", "No rewards".
    function releaseDay(uint32 date) external;

    // Delegation

    /// @notice Delegates a license to `to`.
    /// @dev Reverts: "Not token owner", "Invalid node", "Already delegated", "Too many delegations".
    function delegate(uint256 tokenID, address to) external;

    /// @notice Delegates a delegated license to another node.
    /// @dev Reverts: "Not token owner", "Invalid node", "Not delegated", "Already delegated", "Too many delegations".
    function redelegate(uint256 tokenID, address to) external;

    /// @notice Ends the delegation: the license counts for its holder again.
    /// @dev Reverts: "Not token owner", "Not delegated".
    function undelegate(uint256 tokenID) external;

    /// @notice Called by the license contract when a license is minted or transferred.
    /// @dev Reverts: "Not license contract".
    function onLicenseMoved(uint256 tokenID, address to) external;

    // Several calls in one

    /// @notice Runs the calls independently: a failing call changes nothing and emits `CallFailed`.
    /// @return results the return data of each call; empty for a failed call
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results);

    // Views of the registry

    function nodeInfos(address node) external view returns (NodeInfo memory);
    function nodeAddrByID(uint32 id) external view returns (address);
    function activeNodeCount() external view returns (uint256);

    /// @notice Number of licenses that count for a node.
    function delegationWeights(address node) external view returns (uint32);

    /// @notice Number of licenses delegated to a node, without its own licenses.
    function delegationCount(address node) external view returns (uint32);

    /// @notice The node that a license counts for; zero: the license does not exist.
    function delegation(uint256 tokenID) external view returns (address);

    /// @notice The id at an index of the active set. Reverts if the index is out of range.
    function activeVrfNodeList(uint256 listIndex) external view returns (uint32);

    /// @notice A page of the active set with weights, e.g. to find the node with the least weight.
    function activeNodes(uint256 offset, uint256 limit) external view returns (ActiveNode[] memory);

    // Views of attestations

    function attestations(bytes32 attestationID) external view returns (Attestation memory);
    function chosenNodes(uint32 vrfChosenID) external view returns (uint32[] memory);
    function tees(address tee) external view returns (bool);

    /// @notice Whether a node's report counts for an attestation.
    function attestationVerifiedNode(bytes32 attestationID, address node) external view returns (bool);

    /// @notice Whether a node was slashed for an attestation.
    function nodeSlashed(address node, bytes32 attestationID) external view returns (bool);

    /// @notice The vote at an index of the chosen list: 0 none, otherwise 1 + result.
    function voteAt(bytes32 attestationID, uint32 index) external view returns (uint8);

    /// @notice The current state of an attestation, whether or not `concludeAttestation` was called.
    function attestationState(bytes32 attestationID) external view returns (AttestationState);

    /// @notice Number of votes that a verdict needs; 0 while no nodes are chosen.
    function votesNeeded(bytes32 attestationID) external view returns (uint256);

    /// @notice The result that more than half of the votes agree on, after the deadline and if the votes reach the quorum.
    /// @return decided false: before the deadline, no quorum, or no majority
    function verdict(bytes32 attestationID) external view returns (bool decided, uint8 result);

    /// @notice The id at an index of a chosen list. Reverts if the index is out of range.
    function vrfChosenMap(uint32 vrfChosenID, uint256 index) external view returns (uint32);

    // Views of rewards

    /// @notice Number of the current day.
    function currentDate() external view returns (uint32);

    /// @notice The same as `currentDate`, with the upstream name. Days are numbered from 1970; the upstream service numbers them from the
    /// start of its vault.
    function todayIndex() external view returns (uint32);

    /// @notice Seconds since the start of the current day.
    function todayOffset() external view returns (uint256);

    /// @notice The weight of a node in the reward of a day; 0: the day is not credited to the node.
    function nodeDailyActive(address node, uint32 date) external view returns (uint32);

    /// @notice The total weight of the nodes that share the reward of a day.
    function globalDailyActiveNodes(uint32 date) external view returns (uint32);

    /// @notice Rewards of a license until its last claim or transfer: `initialRewards` is the amount per license of its node at that time.
    function tokenRewardInfos(uint256 tokenID)
        external
        view
        returns (uint256 initialRewards, uint256 totalRewards, uint256 claimedRewards);

    /// @notice Whether `totalRewards` of a license is above 0, which is true after its first claim.
    function checkClaimed(uint256 tokenID) external view returns (bool);

    /// @notice The unsettled part of a day: the reserved reward, and the weight of its nodes.
    function dayInfo(uint32 date) external view returns (uint128 pot, uint64 weight);

    /// @notice The claimable amount of a license, without unsettled days.
    function claimableRewards(uint256 tokenID) external view returns (uint256);

    // Views for relayers

    /// @notice Whether a signed enter, exit, commission or claimer already took effect.
    function usedDigest(bytes32 digest, address signer) external view returns (bool);

    /// @notice True: this contract guarantees isolation. A contract without this function does not.
    function supportsIsolation() external pure returns (bool);

    function eip712DomainHash() external view returns (bytes32);

    /// @notice The parts of the signing domain (ERC-5267).
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields, string memory name, string memory version, uint256 chainId,
            address verifyingContract, bytes32 salt, uint256[] memory extensions
        );

    // Related contracts

    function settings() external view returns (address);
    function license() external view returns (address);
    function randomness() external view returns (address);
    function rewardPool() external view returns (address);

    /// @notice The contract that slashes votes against the verdict; zero: none.
    function slasher() external view returns (address);
}
