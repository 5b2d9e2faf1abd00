// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The registry of verifier nodes: who is active, what they report, what they earn.
/// @notice Every operation of a node exists twice: sent by the node itself, or signed by it (EIP-712, a domain of name,
/// version and chain id, without verifyingContract) and sent by anyone.
///
/// Three guarantees beyond the plain rules:
/// - *Once.* A signed message takes effect at most once per signer. `usedDigest` remembers the four rare operations, the
///   votes of an attestation remember reports. A message that was never applied is never refused because of another one.
/// - *Isolation.* In `nodeReportVerificationBatch` an entry that breaks a rule is skipped, with a `ReportSkipped`; in
///   `multicall` a call that fails is undone alone, with a `CallFailed`.
/// - *Outcome by events.* A rare operation that took effect emits `OperationApplied(digest, signer)`; a signed report that
///   counts is an element of the `infos` of `NodeReportVerificationBatch`, one that does not has a `ReportSkipped`.
///
/// Rules that a caller breaks revert with the short texts that each function lists; `ReportSkipped.reason` is one of the
/// same texts.
interface IVerifierService {
    /// @notice What is known of a node.
    /// @param id number of the node, from 1; 0: never entered
    /// @param listIndex place in `activeVrfNodeList` while active, else 2**32 - 1
    /// @param active member of the active set
    /// @param lastConfirmDate last day whose reward is settled
    /// @param missed reports missed; forgotten when the node enters again after they ended its membership
    /// @param selfTotal what the node earned itself: commission, and what cannot be divided among licenses
    /// @param selfClaimed the part of `selfTotal` that was claimed or slashed
    /// @param delegationRewards what one license earned with this node from its first day on
    /// @param lastEnterTime time of the last entering, in seconds
    /// @param claimer who receives `selfTotal`; zero: the node
    /// @param commissionRate part of the reward that the node keeps, in 1/10000
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

    /// @notice What is known of an attestation.
    /// @param reporter the TEE that reported it; zero: no such attestation
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

    /// @notice Where an attestation stands. It ends in one of the states from `Valid` on.
    /// `Waiting`: for a random word. `Open`: chosen nodes report. `Valid`, `Invalid`, `Malicious`: the verdict. `NoVerdict`: fewer
    /// votes than the quorum, or no majority among them. `Unselected`: no random word came in time, nobody was chosen.
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

    /// @notice A signed report. `result`: 0 valid, 1 invalid, 2 malicious. `index`: place of the node in the chosen list.
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
    /// @notice `requestId` is the one of `TeeReportAttestations`, also where the word was asked for again.
    event ConfirmVrfNodes(uint256 requestId, uint32[] vrfChosen, uint256 deadline);
    /// @notice The random word of `requestId`, the one of `TeeReportAttestations`, was asked for again: only `newRequestId` is waited for.
    event RandomnessRequestedAgain(uint256 indexed requestId, uint256 newRequestId);
    /// @notice A random word came that nobody waits for.
    event RandomnessIgnored(uint256 requestId);
    /// @notice How an attestation ended, once somebody asked. `votesNeeded` is its quorum, 0 for `Unselected`.
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
    /// @notice A day of a node is settled. Both are sums since the beginning, as in `NodeInfo`: what the node earned itself, and what one
    /// license earned with it.
    event NodeConfirmReward(address node, int256 selfTotal, uint256 delegationRewards);
    event NodeClaim(address node, address claimer, uint256 rewards);

    // Events: delegation

    event Delegate(uint256 tokenID, address to);
    event Redelegate(uint256 tokenID, address to);
    /// @notice `from` is the node that the license counted for; now it counts for its holder.
    event Undelegate(uint256 tokenID, address from);
    event ClaimRewards(uint256 tokenID, address claimer, uint256 rewards);

    // Events: outcomes of what was sent for someone else

    /// @notice A signed enter, exit, commission or claimer took effect.
    event OperationApplied(bytes32 indexed digest, address indexed signer);
    /// @notice An entry of a batch of reports does not count, and why. `signer` and `index` are the lowest bits of what
    /// the entry holds, `position` is its place in the call.
    event ReportSkipped(bytes32 indexed attestationID, address indexed signer, uint32 index, uint256 position, string reason);
    /// @notice A call of a multicall failed and left no trace. `reason` is what it reverted with; empty: it ran
    /// out of gas, or no function has its selector.
    event CallFailed(uint256 index, bytes reason);

    // Nodes

    /// @notice Enters the active set. When the set is full, `replaced` has to be active and to have less weight.
    /// @dev Reverts: "No delegationWeights", "Already enter", "Replaced node is not active", "Less weights".
    function nodeEnter(address replaced) external;

    /// @notice Leaves the active set.
    /// @dev Reverts: "Already exit".
    function nodeExit() external;

    /// @notice Sets the commission, in 1/10000.
    /// @dev Reverts: "Not register", "Value is too large", "Not meet min commission rate modify interval",
    /// "Modify too large at one time".
    function nodeModifyCommissionRate(uint32 commissionRate) external;

    /// @notice Sets who receives the node's own rewards; zero: the node itself.
    /// @dev Reverts: "Not register", when the node neither entered once nor has weight.
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

    /// @notice Reports the result of an attestation; `index` is the node's place in the chosen list. A chosen node may report until
    /// the deadline, also after it left the active set or lost its licenses.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline passed", "Unknown result", "Not chosen", "Already verify".
    function nodeReportVerification(bytes32 attestationID, uint32 index, uint8 result) external;

    /// @notice Reports for many nodes what each of them signed. An entry that breaks a rule is skipped.
    /// @dev Reverts, since no entry could count: "Attestation not exist", "Waiting vrf", "Deadline passed".
    /// Skips: "Malformed entry", "Unknown result", "Invalid signature S", "signer not match", "Not chosen", "Already verify".
    function nodeReportVerificationBatch(bytes32 attestationID, VerificationInfo[] calldata infos) external;

    /// @notice Takes from a node that missed its report, or that voted against the verdict. Open to all for a missed report, and to the
    /// slasher alone for a vote against the verdict; after the deadline. A chosen node that left the active set owes its report all the
    /// same. The second miss ends a membership of the set. The first slash of an attestation also says how it ended, as
    /// `concludeAttestation` does.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline not passed", "Not chosen", "Already slash", "Not to be slashed",
    /// "Not slasher".
    function nodeSlash(address node, bytes32 attestationID, uint32 index) external;

    // Attestations

    /// @notice Reports attestations; their ids are the hashes of the texts. Chosen nodes follow with `ConfirmVrfNodes`.
    /// @dev Reverts: "Not tee", "No attestations", "Attestation already exist".
    function teeReportAttestations(string[] calldata attestationInfos) external;

    /// @notice Allows an address to report attestations, or ends that. For the owner.
    function setTee(address tee, bool allowed) external;

    /// @notice Asks again for the random word of attestations that wait for it. Open to all, `randomnessRetry` seconds after the last
    /// request. The answer to an earlier request has no effect from then on.
    /// @param requestID of `TeeReportAttestations`, or of a later request for the same attestations
    /// @dev Reverts: "Not waiting vrf", "Asked recently".
    function requestRandomnessAgain(uint256 requestID) external;

    /// @notice Says how an attestation ended, by `AttestationConcluded`, once. Open to all; has no effect after the first time.
    /// @dev Reverts: "Attestation not exist", "Waiting vrf", "Deadline not passed".
    function concludeAttestation(bytes32 attestationID) external;

    /// @notice Names the contract that slashes votes against the verdict, once. For the owner.
    /// @dev Reverts: "Slasher already set".
    function setSlasher(address slasher) external;

    // Rewards

    /// @notice Says that a node was active long enough today. Open to all, once a node and day. A node that leaves the active set
    /// after its hours is credited by leaving.
    /// @dev Reverts: "Not active", "No weights", "Online time is too short", "Already report today".
    function nodeReportDailyActive(address node) external;

    /// @notice Settles the rewards of days that are over.
    function confirmNodeRewards(address node) external;

    /// @notice Pays the node's own rewards to its claimer. For the node and its claimer.
    /// @dev Reverts: "Not claimer", "No rewards".
    function nodeClaim(address node) external;

    /// @notice Pays what a license earned to its holder.
    /// @dev Reverts: "Not token owner", "No rewards".
    function claimRewards(uint256 tokenID) external;

    /// @notice Gives back to the pool what nobody can claim of a day that is over, because no weight was left in it.
    /// @dev Reverts: "Day is not over", "No rewards".
    function releaseDay(uint32 date) external;

    // Delegation

    /// @notice Lets a license count for `to` instead of its holder.
    /// @dev Reverts: "Not token owner", "Invalid node", "Already delegated", "Too many delegations".
    function delegate(uint256 tokenID, address to) external;

    /// @notice Lets a delegated license count for another node.
    /// @dev Reverts: "Not token owner", "Invalid node", "Not delegated", "Already delegated", "Too many delegations".
    function redelegate(uint256 tokenID, address to) external;

    /// @notice Lets a license count for its holder again.
    /// @dev Reverts: "Not token owner", "Not delegated".
    function undelegate(uint256 tokenID) external;

    /// @notice Called by the license contract whenever a license is minted or changes hands.
    /// @dev Reverts: "Not license contract".
    function onLicenseMoved(uint256 tokenID, address to) external;

    // Several calls in one

    /// @notice Runs each call by itself: one that fails changes nothing and emits `CallFailed`.
    /// @return results what each call returned; empty for one that failed
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results);

    // Views of the registry

    function nodeInfos(address node) external view returns (NodeInfo memory);
    function nodeAddrByID(uint32 id) external view returns (address);
    function activeNodeCount() external view returns (uint256);

    /// @notice How many licenses count for a node.
    function delegationWeights(address node) external view returns (uint32);

    /// @notice How many licenses are delegated to a node, not only held by it.
    function delegationCount(address node) external view returns (uint32);

    /// @notice The node that a license counts for; zero: no such license.
    function delegation(uint256 tokenID) external view returns (address);

    /// @notice The id at a place of the active set. Reverts behind its end.
    function activeVrfNodeList(uint256 listIndex) external view returns (uint32);

    /// @notice A part of the active set with the weights, for whoever looks for the lightest node.
    function activeNodes(uint256 offset, uint256 limit) external view returns (ActiveNode[] memory);

    // Views of attestations

    function attestations(bytes32 attestationID) external view returns (Attestation memory);
    function chosenNodes(uint32 vrfChosenID) external view returns (uint32[] memory);
    function tees(address tee) external view returns (bool);

    /// @notice Whether a node's report counts for an attestation.
    function attestationVerifiedNode(bytes32 attestationID, address node) external view returns (bool);

    /// @notice Whether a node was slashed for an attestation.
    function nodeSlashed(address node, bytes32 attestationID) external view returns (bool);

    /// @notice The vote at a place of the chosen list: 0 none, else 1 + result.
    function voteAt(bytes32 attestationID, uint32 index) external view returns (uint8);

    /// @notice Where an attestation stands now, whether or not `concludeAttestation` was called.
    function attestationState(bytes32 attestationID) external view returns (AttestationState);

    /// @notice How many votes a verdict needs; 0 while no nodes are chosen.
    function votesNeeded(bytes32 attestationID) external view returns (uint256);

    /// @notice The result that more than half of the votes agree on, once the deadline passed and the votes reach the quorum.
    /// @return decided false: not over yet, no quorum, or no majority
    function verdict(bytes32 attestationID) external view returns (bool decided, uint8 result);

    /// @notice The id at a place of a chosen list. Reverts behind its end.
    function vrfChosenMap(uint32 vrfChosenID, uint256 index) external view returns (uint32);

    // Views of rewards

    /// @notice Number of the day that now belongs to.
    function currentDate() external view returns (uint32);

    /// @notice The same as `currentDate`, by the upstream name. Days are numbered from 1970, where the upstream service numbers them from the
    /// start of its vault.
    function todayIndex() external view returns (uint32);

    /// @notice Seconds since today began.
    function todayOffset() external view returns (uint256);

    /// @notice The weight that a node shares in the reward of a day with; 0: the day is not credited to the node.
    function nodeDailyActive(address node, uint32 date) external view returns (uint32);

    /// @notice The weight of all nodes that share in the reward of a day.
    function globalDailyActiveNodes(uint32 date) external view returns (uint32);

    /// @notice What a license earned until it was last claimed or moved: `initialRewards` is what one license of its node had earned by then.
    function tokenRewardInfos(uint256 tokenID)
        external
        view
        returns (uint256 initialRewards, uint256 totalRewards, uint256 claimedRewards);

    /// @notice Whether `totalRewards` of a license is above 0, as it is from its first claim on.
    function checkClaimed(uint256 tokenID) external view returns (bool);

    /// @notice What is left to settle of a day: the reserved reward, and the weight of its nodes.
    function dayInfo(uint32 date) external view returns (uint128 pot, uint64 weight);

    /// @notice What a license could claim, without days that are not settled.
    function claimableRewards(uint256 tokenID) external view returns (uint256);

    // Views for relayers

    /// @notice Whether a signed enter, exit, commission or claimer took effect already.
    function usedDigest(bytes32 digest, address signer) external view returns (bool);

    /// @notice True: this contract keeps the guarantee of isolation. A contract without this function does not.
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

    // The contracts around this one

    function settings() external view returns (address);
    function license() external view returns (address);
    function randomness() external view returns (address);
    function rewardPool() external view returns (address);

    /// @notice Who slashes votes against the verdict; zero: nobody.
    function slasher() external view returns (address);
}
