// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {RevertingReasons} from "./RevertingReasons.sol";

/// @title Signature checks of the reverting service, which does not record used messages.
abstract contract RevertingSignatures {
    ISettings internal immutable _settings;
    bytes32 public eip712DomainHash;

    constructor(address settings_, string memory domainName, string memory domainVersion) {
        _settings = ISettings(settings_);
        bytes32 domainType = keccak256("EIP712Domain(string name,string version,uint256 chainId)");
        eip712DomainHash = keccak256(
            abi.encode(domainType, keccak256(bytes(domainName)), keccak256(bytes(domainVersion)), block.chainid)
        );
    }

    function settings() external view returns (address) {
        return address(_settings);
    }

    function _authorize(bytes32 structHash, uint256 expiredAt, address signer, uint8 v, bytes32 r, bytes32 s) internal view {
        require(expiredAt >= block.timestamp, RevertingReasons.INVALID_EXPIRED_AT);
        require(expiredAt <= block.timestamp + _settings.rules().maxExpiry, RevertingReasons.INVALID_EXPIRED_AT);
        _checkSigner(structHash, signer, v, r, s);
    }

    function _checkSigner(bytes32 structHash, address signer, uint8 v, bytes32 r, bytes32 s) internal view {
        bytes32 digest = MessageHashUtils.toTypedDataHash(eip712DomainHash, structHash);
        (address recovered, ECDSA.RecoverError fault,) = ECDSA.tryRecover(digest, v, r, s);
        require(fault != ECDSA.RecoverError.InvalidSignatureS, RevertingReasons.INVALID_SIGNATURE_S);
        require(fault == ECDSA.RecoverError.NoError && recovered == signer, RevertingReasons.SIGNER_NOT_MATCH);
    }
}
