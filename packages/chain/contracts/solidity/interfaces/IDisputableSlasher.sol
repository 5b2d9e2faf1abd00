// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Slashing of votes against a verdict: proposed by a role, disputable for a while, then carried out.
/// @notice The majority of an attestation may be the one that is wrong, or bought. Therefore its word alone takes nothing: a slasher proposes,
/// the accused node or an arbiter may dispute until the delay is over, and a disputed proposal waits for an arbiter.
interface IDisputableSlasher {
    /// @notice `Proposed` can be disputed before `executableAt` and carried out from then on; `Disputed` waits for an arbiter; `Dismissed`
    /// and `Executed` are final.
    enum State {
        None,
        Proposed,
        Disputed,
        Dismissed,
        Executed
    }

    /// @param node the accused
    /// @param executableAt when the proposal may be carried out, in seconds; disputes come before
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

    /// @notice Accuses the node at a place of an attestation's chosen list of a vote against the verdict, once. For slashers.
    /// @dev Reverts: `NotInState`, `NotAgainstVerdict`.
    function propose(bytes32 attestationID, uint32 index) external;

    /// @notice Stops a proposal until an arbiter decides. For the accused node and arbiters, before `executableAt`.
    /// @dev Reverts: `NotInState`, `NotAccusedOrArbiter`, `DisputesAreOver`.
    function dispute(bytes32 attestationID, uint32 index) external;

    /// @notice Decides a disputed proposal: carries it out, or dismisses it for ever. For arbiters.
    /// @dev Reverts: `NotInState`.
    function resolve(bytes32 attestationID, uint32 index, bool uphold) external;

    /// @notice Carries out a proposal that nobody disputed. For slashers, from `executableAt` on.
    /// @dev Reverts: `NotInState`, `DisputesAreOpen`.
    function execute(bytes32 attestationID, uint32 index) external;

    function proposals(bytes32 attestationID, uint32 index) external view returns (Proposal memory);
    function service() external view returns (address);
}
