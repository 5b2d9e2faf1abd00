// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Reasons} from "./Reasons.sol";
import {State} from "./State.sol";

/// @title Typed data (EIP-712): the domain, the digests and who signed.
/// @dev The domain has no verifyingContract, so a signature fits every deployment with the same name and version on the
/// chain: each deployment should have a version of its own.
abstract contract SignedMessages is State {
    bytes32 private constant DOMAIN_TYPE = keccak256("EIP712Domain(string name,string version,uint256 chainId)");
    bytes32 internal constant REPORT_TYPE = keccak256("VerificationData(bytes32 attestationID,uint8 result,uint32 index)");

    string private _name;
    string private _version;
    bytes32 private immutable _nameHash;
    bytes32 private immutable _versionHash;
    uint256 private immutable _firstChainId;
    bytes32 private immutable _firstDomainHash;

    constructor(string memory name, string memory version) {
        _name = name;
        _version = version;
        _nameHash = keccak256(bytes(name));
        _versionHash = keccak256(bytes(version));
        _firstChainId = block.chainid;
        _firstDomainHash = _hashDomain();
    }

    function eip712DomainHash() public view override returns (bytes32) {
        // A chain that splits changes its id.
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
        return (hex"07", _name, _version, block.chainid, address(0), bytes32(0), new uint256[](0));
    }

    /// @dev Takes a signed message, once.
    function _authorize(bytes32 structHash, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) internal {
        require(
            expiredAt >= block.timestamp && expiredAt <= block.timestamp + _settings.rules().maxExpiry,
            Reasons.INVALID_EXPIRED_AT
        );
        bytes32 digest = _digest(eip712DomainHash(), structHash);
        (address recovered, ECDSA.RecoverError fault,) = ECDSA.tryRecover(digest, v, r, s);
        require(fault != ECDSA.RecoverError.InvalidSignatureS, Reasons.INVALID_SIGNATURE_S);
        require(fault == ECDSA.RecoverError.NoError && recovered == signer, Reasons.SIGNER_NOT_MATCH);
        require(!usedDigest[digest][signer], Reasons.DIGEST_ALREADY_USED);
        usedDigest[digest][signer] = true;
        emit OperationApplied(digest, signer);
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
