// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../../solidity/interfaces/IVerifierService.sol";
import {vm} from "./Vm.sol";

/// @title Signing as an operator's wallet does, written apart from the contract: the type texts stand here once more.
library Signing {
    struct Signature {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    function domainHash(string memory name, string memory version, uint256 chainId) internal pure returns (bytes32) {
        bytes32 domainType = keccak256("EIP712Domain(string name,string version,uint256 chainId)");
        return keccak256(abi.encode(domainType, keccak256(bytes(name)), keccak256(bytes(version)), chainId));
    }

    function enter(address replaced, uint256 expiredAt) internal pure returns (bytes32) {
        return keccak256(abi.encode(keccak256("NodeEnterData(address replacedNode,uint256 expiredAt)"), replaced, expiredAt));
    }

    function exit(uint256 expiredAt) internal pure returns (bytes32) {
        return keccak256(abi.encode(keccak256("NodeExitData(uint256 expiredAt)"), expiredAt));
    }

    function commission(uint32 rate, uint256 expiredAt) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(keccak256("NodeModifyCommissionRateData(uint32 commissionRate,uint256 expiredAt)"), rate, expiredAt)
        );
    }

    function claimer(address to, uint256 expiredAt) internal pure returns (bytes32) {
        return keccak256(abi.encode(keccak256("NodeSetRewardClaimerData(address claimer,uint256 expiredAt)"), to, expiredAt));
    }

    function report(bytes32 attestationID, uint256 result, uint256 index) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(keccak256("VerificationData(bytes32 attestationID,uint8 result,uint32 index)"), attestationID, result, index)
        );
    }

    function digest(bytes32 domain, bytes32 message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }

    function sign(uint256 key, bytes32 domain, bytes32 message) internal pure returns (Signature memory signature) {
        (signature.v, signature.r, signature.s) = vm.sign(key, digest(domain, message));
    }

    /// @notice The other signature of the same key for the same digest, which anyone can compute.
    function malleate(Signature memory signature) internal pure returns (Signature memory) {
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        return Signature(signature.v == 27 ? 28 : 27, signature.r, bytes32(order - uint256(signature.s)));
    }

    function info(uint256 key, bytes32 domain, bytes32 attestationID, uint8 result, uint32 index)
        internal
        pure
        returns (IVerifierService.VerificationInfo memory)
    {
        Signature memory signature = sign(key, domain, report(attestationID, result, index));
        return IVerifierService.VerificationInfo(result, index, vm.addr(key), signature.v, signature.r, signature.s);
    }
}
