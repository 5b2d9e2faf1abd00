// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {BatchEntries} from "./BatchEntries.sol";
import {Reasons, _require} from "./Reasons.sol";
import {SignedMessages} from "./SignedMessages.sol";

/// @title Reports of chosen nodes on an attestation, sent by the nodes or signed and sent in batches.
abstract contract Reports is SignedMessages {
    using BatchEntries for BatchEntries.Accepted;
    using BatchEntries for BatchEntries.Entry;

    /// @dev Why a report does not count.
    enum Refusal {
        None,
        MalformedEntry,
        UnknownResult,
        InvalidSignatureS,
        SignerNotMatch,
        NotChosen,
        AlreadyVerify
    }

    uint256 private constant HIGHEST_RESULT = 2;
    uint256 private constant VOTES_PER_WORD = 128;

    function nodeReportVerification(bytes32 attestationID, uint32 index, uint8 result) external override {
        uint32[] storage chosen = _chosen[_openForReports(attestationID)];
        uint256[3] memory counts;
        Refusal refusal = result > HIGHEST_RESULT
            ? Refusal.UnknownResult
            : _vote(attestationID, chosen, msg.sender, index, result, counts);
        _require(refusal == Refusal.None, _reason(refusal));
        _count(attestationID, counts);
        emit NodeReportVerification(msg.sender, attestationID, result);
    }

    function nodeReportVerificationBatch(bytes32 attestationID, VerificationInfo[] calldata infos) external override {
        uint32[] storage chosen = _chosen[_openForReports(attestationID)];
        bytes32 domainHash = eip712DomainHash();
        uint256[3] memory counts;
        BatchEntries.Entry memory entry;
        BatchEntries.Accepted memory accepted = BatchEntries.reserve(infos.length);
        for (uint256 i = 0; i < infos.length; i++) {
            entry.load(infos, i);
            Refusal refusal = _judge(attestationID, domainHash, entry);
            if (refusal == Refusal.None) {
                refusal = _vote(attestationID, chosen, address(uint160(entry.signer)), entry.index, entry.result, counts);
            }
            if (refusal == Refusal.None) {
                accepted.add(entry);
            } else {
                emit ReportSkipped(attestationID, address(uint160(entry.signer)), uint32(entry.index), i, Reasons.toText(_reason(refusal)));
            }
        }
        if (accepted.length == 0) return;
        _count(attestationID, counts);
        accepted.emitBatch(attestationID);
    }

    function voteAt(bytes32 attestationID, uint32 index) public view override returns (uint8) {
        return uint8((_votes[attestationID][index / VOTES_PER_WORD] >> _shift(index)) & 3);
    }

    function attestationVerifiedNode(bytes32 attestationID, address node) external view override returns (bool) {
        (bool found, uint32 index) = _placeOf(attestationID, node);
        return found && voteAt(attestationID, index) != 0;
    }

    function _placeOf(bytes32 attestationID, address node) internal view returns (bool found, uint32 index) {
        uint32 id = _nodes[node].id;
        uint32[] memory chosen = _chosen[_reports[attestationID].vrfChosenID];
        for (; index < chosen.length; index++) if (chosen[index] == id) return (true, index);
    }

    /// @return chosenID key of the chosen nodes of an attestation that currently accepts reports
    function _openForReports(bytes32 attestationID) private view returns (uint32 chosenID) {
        Report storage report = _reports[attestationID];
        _require(report.reporter != address(0), Reasons.ATTESTATION_UNKNOWN);
        chosenID = report.vrfChosenID;
        uint256 deadline = _selections[chosenID].deadline;
        _require(deadline != 0, Reasons.WAITING_VRF);
        _require(block.timestamp <= deadline, Reasons.DEADLINE_PASSED);
    }

    /// @dev Checks that do not depend on state: are the words in range, and did the signer sign the entry?
    function _judge(bytes32 attestationID, bytes32 domainHash, BatchEntries.Entry memory entry) private pure returns (Refusal) {
        if (entry.index > type(uint32).max || entry.signer > type(uint160).max || entry.v > type(uint8).max) {
            return Refusal.MalformedEntry;
        }
        if (entry.result > HIGHEST_RESULT) return Refusal.UnknownResult;
        if (uint256(entry.s) > HIGHEST_S) return Refusal.InvalidSignatureS;
        bytes32 digest = _digest(domainHash, _hashReport(attestationID, entry.result, entry.index));
        bool isSigned = _isSigned(digest, address(uint160(entry.signer)), uint8(entry.v), entry.r, entry.s);
        return isSigned ? Refusal.None : Refusal.SignerNotMatch;
    }

    /// @dev Records a vote if the rules allow it; `_count` updates the totals of the attestation. The state at the time of the selection
    /// counts: each chosen node was active with a license, and a license counts for one node. So one license backs one vote,
    /// even if it is transferred during the report window, and nobody can cancel a chosen node's vote by withdrawing a license.
    function _vote(
        bytes32 attestationID,
        uint32[] storage chosen,
        address node,
        uint256 index,
        uint256 result,
        uint256[3] memory counts
    ) private returns (Refusal) {
        if (index >= chosen.length || chosen[index] != _nodes[node].id) return Refusal.NotChosen;
        mapping(uint256 => uint256) storage votes = _votes[attestationID];
        uint256 word = votes[index / VOTES_PER_WORD];
        if ((word >> _shift(index)) & 3 != 0) return Refusal.AlreadyVerify;
        votes[index / VOTES_PER_WORD] = word | ((result + 1) << _shift(index));
        counts[result]++;
        return Refusal.None;
    }

    function _count(bytes32 attestationID, uint256[3] memory counts) private {
        Report storage report = _reports[attestationID];
        report.valid += uint16(counts[0]);
        report.invalid += uint16(counts[1]);
        report.malicious += uint16(counts[2]);
    }

    function _shift(uint256 index) private pure returns (uint256) {
        return (index % VOTES_PER_WORD) * 2;
    }

    /// @dev Equals `keccak256(abi.encode(REPORT_TYPE, attestationID, result, index))`, without allocating memory per report.
    function _hashReport(bytes32 attestationID, uint256 result, uint256 index) private pure returns (bytes32 structHash) {
        bytes32 reportType = REPORT_TYPE;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, reportType)
            mstore(add(free, 32), attestationID)
            mstore(add(free, 64), result)
            mstore(add(free, 96), index)
            structHash := keccak256(free, 128)
        }
    }

    function _reason(Refusal refusal) private pure returns (bytes32) {
        if (refusal == Refusal.MalformedEntry) return Reasons.MALFORMED_ENTRY;
        if (refusal == Refusal.UnknownResult) return Reasons.UNKNOWN_RESULT;
        if (refusal == Refusal.InvalidSignatureS) return Reasons.INVALID_SIGNATURE_S;
        if (refusal == Refusal.SignerNotMatch) return Reasons.SIGNER_NOT_MATCH;
        if (refusal == Refusal.NotChosen) return Reasons.NOT_CHOSEN;
        if (refusal == Refusal.AlreadyVerify) return Reasons.ALREADY_VERIFY;
        return 0;
    }
}
