// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IDisputableSlasher} from "./interfaces/IDisputableSlasher.sol";
import {ISettings} from "./interfaces/ISettings.sol";
import {IVerifierService} from "./interfaces/IVerifierService.sol";

/// @title Slashing of votes against a verdict, with disputes. `IDisputableSlasher` documents each function.
/// @dev The admin only appoints slashers and arbiters; a new admin must accept the role, after a delay.
contract DisputableSlasher is IDisputableSlasher, AccessControlDefaultAdminRules {
    bytes32 public constant SLASHER_ROLE = keccak256("SLASHER_ROLE");
    bytes32 public constant ARBITER_ROLE = keccak256("ARBITER_ROLE");

    IVerifierService private immutable _service;
    mapping(bytes32 attestationID => mapping(uint32 index => Proposal)) private _proposals;

    constructor(address service_, address admin, uint48 adminDelay) AccessControlDefaultAdminRules(adminDelay, admin) {
        _service = IVerifierService(service_);
    }

    function propose(bytes32 attestationID, uint32 index) external override onlyRole(SLASHER_ROLE) {
        Proposal storage proposal = _inState(attestationID, index, State.None);
        uint8 vote = _service.voteAt(attestationID, index);
        (bool decided, uint8 result) = _service.verdict(attestationID);
        if (!decided || vote == 0 || vote == result + 1) revert NotAgainstVerdict(attestationID, index);
        uint32 chosenID = _service.attestations(attestationID).vrfChosenID;
        proposal.state = State.Proposed;
        proposal.node = _service.nodeAddrByID(_service.vrfChosenMap(chosenID, index));
        proposal.executableAt = uint40(block.timestamp) + ISettings(_service.settings()).verdictRules().slashDelay;
        emit SlashProposed(attestationID, index, proposal.node, proposal.executableAt);
    }

    function dispute(bytes32 attestationID, uint32 index) external override {
        Proposal storage proposal = _inState(attestationID, index, State.Proposed);
        if (msg.sender != proposal.node && !hasRole(ARBITER_ROLE, msg.sender)) revert NotAccusedOrArbiter(msg.sender);
        if (block.timestamp >= proposal.executableAt) revert DisputesAreOver(proposal.executableAt);
        proposal.state = State.Disputed;
        emit SlashDisputed(attestationID, index, proposal.node, msg.sender);
    }

    function resolve(bytes32 attestationID, uint32 index, bool uphold) external override onlyRole(ARBITER_ROLE) {
        Proposal storage proposal = _inState(attestationID, index, State.Disputed);
        if (uphold) {
            _slash(attestationID, index, proposal);
        } else {
            proposal.state = State.Dismissed;
            emit SlashDismissed(attestationID, index, proposal.node);
        }
    }

    function execute(bytes32 attestationID, uint32 index) external override onlyRole(SLASHER_ROLE) {
        Proposal storage proposal = _inState(attestationID, index, State.Proposed);
        if (block.timestamp < proposal.executableAt) revert DisputesAreOpen(proposal.executableAt);
        _slash(attestationID, index, proposal);
    }

    function proposals(bytes32 attestationID, uint32 index) external view override returns (Proposal memory) {
        return _proposals[attestationID][index];
    }

    function service() external view override returns (address) {
        return address(_service);
    }

    function _inState(bytes32 attestationID, uint32 index, State wanted) private view returns (Proposal storage proposal) {
        proposal = _proposals[attestationID][index];
        if (proposal.state != wanted) revert NotInState(wanted, proposal.state);
    }

    function _slash(bytes32 attestationID, uint32 index, Proposal storage proposal) private {
        proposal.state = State.Executed;
        emit SlashExecuted(attestationID, index, proposal.node);
        _service.nodeSlash(proposal.node, attestationID, index);
    }
}
