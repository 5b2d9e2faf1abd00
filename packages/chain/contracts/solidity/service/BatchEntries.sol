// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../interfaces/IVerifierService.sol";

/// @title Decoding of an untrusted batch of reports, and the event with the entries that count.
/// @dev Solidity reverts if a field of calldata exceeds its type. Here an entry is copied as six words, so that an invalid
/// entry does not revert the batch. One `Entry` is reused for the whole batch, because memory is never freed.
library BatchEntries {
    uint256 private constant ENTRY_BYTES = 192;
    // Attestation, offset of the array, length of the array.
    uint256 private constant HEADER_BYTES = 96;

    /// @dev The words of a `VerificationInfo`, not validated.
    struct Entry {
        uint256 result;
        uint256 index;
        uint256 signer;
        uint256 v;
        bytes32 r;
        bytes32 s;
    }

    /// @dev The data of the event under construction.
    struct Accepted {
        uint256 start;
        uint256 length;
    }

    /// @notice Copies entry `i`; the caller checks that it exists.
    function load(Entry memory entry, IVerifierService.VerificationInfo[] calldata infos, uint256 i) internal pure {
        assembly ("memory-safe") {
            calldatacopy(entry, add(infos.offset, mul(i, ENTRY_BYTES)), ENTRY_BYTES)
        }
    }

    /// @notice Allocates memory for an event of up to `most` entries.
    function reserve(uint256 most) internal pure returns (Accepted memory accepted) {
        uint256 start;
        assembly ("memory-safe") {
            start := mload(0x40)
            mstore(0x40, add(start, add(HEADER_BYTES, mul(most, ENTRY_BYTES))))
        }
        accepted.start = start;
    }

    /// @notice Adds an entry; the caller never adds more than allocated.
    function add(Accepted memory accepted, Entry memory entry) internal pure {
        uint256 place = accepted.start + HEADER_BYTES + accepted.length * ENTRY_BYTES;
        accepted.length++;
        assembly ("memory-safe") {
            mcopy(place, entry, ENTRY_BYTES)
        }
    }

    /// @notice Emits `NodeReportVerificationBatch(attestationID, entries)`.
    function emitBatch(Accepted memory accepted, bytes32 attestationID) internal {
        bytes32 topic = IVerifierService.NodeReportVerificationBatch.selector;
        uint256 start = accepted.start;
        uint256 length = accepted.length;
        assembly ("memory-safe") {
            mstore(start, attestationID)
            mstore(add(start, 32), 64)
            mstore(add(start, 64), length)
            log1(start, add(HEADER_BYTES, mul(length, ENTRY_BYTES)), topic)
        }
    }
}
