// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ShortString, ShortStrings} from "@openzeppelin/contracts/utils/ShortStrings.sol";
import {Reasons, _require} from "./Reasons.sol";
import {State} from "./State.sol";

/// @title Typed data (EIP-712): the domain, the digests and the recovery of signers.
/// @dev The domain has no verifyingContract, so a signature is valid at every deployment with the same name and version on the
/// chain: each deployment should have its own version. Name and version have at most 31 bytes each.
abstract contract SignedMessages is State {
    bytes32 private constant DOMAIN_TYPE = keccak256("EIP712Domain(string name,string version,uint256 chainId)");
    bytes32 internal constant REPORT_TYPE = keccak256("VerificationData(bytes32 attestationID,uint8 result,uint32 index)");

    // Half the order of secp256k1: anyone can derive a second valid signature from a signature, so the one with the larger s is rejected (EIP-2).
    uint256 internal constant HIGHEST_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    ShortString private immutable _name;
    ShortString private immutable _version;
    bytes32 private immutable _nameHash;
    bytes32 private immutable _versionHash;
    uint256 private immutable _firstChainId;
    bytes32 private immutable _firstDomainHash;

    constructor(string memory name, string memory version) {
        _name = ShortStrings.toShortString(name);
        _version = ShortStrings.toShortString(version);
        _nameHash = keccak256(bytes(name));
        _versionHash = keccak256(bytes(version));
        _firstChainId = block.chainid;
        _firstDomainHash = _hashDomain();
    }

    function eip712DomainHash() public view override returns (bytes32) {
        // The chain id changes after a chain split.
        return block.chainid == _firstChainId ? _firstDomainHash : _hashDomain();
    }

    function eip712Domain()
        external
        view
        override
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        // 0x07: name, version and chainId are the fields in use.
        return (hex"07", ShortStrings.toString(_name), ShortStrings.toString(_version), block.chainid, address(0), bytes32(0), new uint256[](0));
    }

    /// @dev Authorizes a signed message, once.
    function _authorize(bytes32 structHash, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) internal {
        _require(
            expiredAt >= block.timestamp && expiredAt <= block.timestamp + _rules().maxExpiry,
            Reasons.INVALID_EXPIRED_AT
        );
        bytes32 digest = _digest(eip712DomainHash(), structHash);
        _require(uint256(s) <= HIGHEST_S, Reasons.INVALID_SIGNATURE_S);
        _require(_isSigned(digest, signer, v, r, s), Reasons.SIGNER_NOT_MATCH);
        _require(!usedDigest[digest][signer], Reasons.DIGEST_ALREADY_USED);
        usedDigest[digest][signer] = true;
        emit OperationApplied(digest, signer);
    }

    /// @dev Recovers the signer; the caller must check s. The zero address means an invalid signature and never counts as a signer.
    function _isSigned(bytes32 digest, address signer, uint8 v, bytes32 r, bytes32 s) internal pure returns (bool) {
        address recovered = ecrecover(digest, v, r, s);
        return recovered != address(0) && recovered == signer;
    }

    /// @dev keccak256(0x1901, domain, message), in the scratch space of memory.
    function _digest(bytes32 domainHash, bytes32 structHash) internal pure returns (bytes32 digest) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, hex"1901")
            mstore(add(free, 2), domainHash)
            mstore(add(free, 34), structHash)
            digest := keccak256(free, 66)
        }
    }

    function _hashDomain() private view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE, _nameHash, _versionHash, block.chainid));
    }
}
