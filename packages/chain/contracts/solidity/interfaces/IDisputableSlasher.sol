// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Slashing of votes against a verdict: proposed by a slasher, disputable for a period, then executed.
/// @notice The majority of the votes on an attestation may be wrong or bribed. Therefore a verdict alone does not slash: a slasher proposes,
/// the accused node or an arbiter can dispute until the delay is over, and an arbiter decides a disputed proposal.
interface IDisputableSlasher {
    /// @notice `Proposed` can be disputed before `executableAt` and executed afterwards; `Disputed` waits for an arbiter; `Dismissed`
    /// and `Executed` are final.
    enum State {
        None,
        Proposed,
        Disputed,
        Dismissed,
        Executed
    }

    /// @param node the accused node
    /// @param executableAt time from which the proposal can be executed, in seconds; disputes are possible before
    struct Proposal {
        State state;
        address node;
        uint40 executableAt;
    }

    event SlashProposed(bytes32 indexed attestationID, uint32 index, address indexed node, uint256 executableAt);
    event SlashDisputed(bytes32 indexed attestationID, uint32 index, address indexed node, address by);
    event SlashDismissed(bytes32 indexed attestationID, uint32 index, address indexed node);
    event SlashExecuted(bytes32 indexed attestationID, uint32 index, address indexed node);

    error NotInState(State wanted, State found);
    error NotAgainstVerdict(bytes32 attestationID, uint32 index);
    error NotAccusedOrArbiter(address caller);
    error DisputesAreOver(uint256 executableAt);
    error DisputesAreOpen(uint256 executableAt);

    /// @notice Proposes to slash the node at an index of the chosen list for a vote against the verdict, once. Only for slashers.
    /// @dev Reverts: `NotInState`, `NotAgainstVerdict`.
    function propose(bytes32 attestationID, uint32 index) external;

    /// @notice Blocks a proposal until an arbiter decides. Only for the accused node and arbiters, before `executableAt`.
    /// @dev Reverts: `NotInState`, `NotAccusedOrArbiter`, `DisputesAreOver`.
    function dispute(bytes32 attestationID, uint32 index) external;

    /// @notice Decides a disputed proposal: executes it, or dismisses it permanently. Only for arbiters.
    /// @dev Reverts: `NotInState`.
    function resolve(bytes32 attestationID, uint32 index, bool uphold) external;

    /// @notice Executes an undisputed proposal. Only for slashers, from `executableAt` on.
    /// @dev Reverts: `NotInState`, `DisputesAreOpen`.
    function execute(bytes32 attestationID, uint32 index) external;

    function proposals(bytes32 attestationID, uint32 index) external view returns (Proposal memory);
    function service() external view returns (address);
}
