// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IRandomness, IRandomnessConsumer} from "../solidity/interfaces/IRandomness.sol";
import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {RevertingReasons} from "./RevertingReasons.sol";
import {Sampling} from "../solidity/service/Sampling.sol";
import {RevertingRegistry} from "./RevertingRegistry.sol";

/// @title A service for tests that behaves like the upstream service: the same selectors, events and texts, without the guarantees of `IVerifierService`.
/// @dev One invalid entry reverts the whole batch, one failing call reverts the whole multicall, and a signed message that has not
/// expired can be applied repeatedly. Each value has its own storage slot, as in a contract that is not optimized for batches, so that a
/// report costs what operators pay today. Rewards and slashing are not implemented.
contract RevertingService is RevertingRegistry, Multicall, Ownable, IRandomnessConsumer {
    bytes32 private constant REPORT_TYPE = keccak256("VerificationData(bytes32 attestationID,uint8 result,uint32 index)");

    address public immutable randomness;

    uint32 private _lastChosenID;
    mapping(address tee => bool) public tees;
    mapping(bytes32 attestationID => IVerifierService.Attestation) public attestations;
    mapping(bytes32 attestationID => mapping(address node => bool)) public attestationVerifiedNode;
    mapping(uint256 requestId => bytes32[]) private _requests;
    mapping(uint32 vrfChosenID => uint32[]) public vrfChosenMap;

    constructor(
        address settings_,
        address license_,
        address randomness_,
        address,
        string memory domainName,
        string memory domainVersion
    ) RevertingRegistry(settings_, license_, domainName, domainVersion) Ownable(msg.sender) {
        randomness = randomness_;
    }

    function setTee(address tee, bool allowed) external onlyOwner {
        tees[tee] = allowed;
    }

    function teeReportAttestations(string[] calldata attestationInfos) external {
        require(tees[msg.sender], RevertingReasons.NOT_TEE);
        uint256 requestId = IRandomness(randomness).requestRandomness();
        bytes32[] memory ids = new bytes32[](attestationInfos.length);
        for (uint256 i = 0; i < ids.length; i++) {
            ids[i] = keccak256(bytes(attestationInfos[i]));
            require(attestations[ids[i]].reporter == address(0), RevertingReasons.ATTESTATION_EXISTS);
            attestations[ids[i]].reporter = msg.sender;
        }
        _requests[requestId] = ids;
        emit IVerifierService.TeeReportAttestations(msg.sender, ids, attestationInfos, requestId);
    }

    function fulfillRandomness(uint256 requestId, uint256 word) external override {
        require(msg.sender == randomness, RevertingReasons.NOT_RANDOMNESS);
        uint32 chosenID = ++_lastChosenID;
        uint256 deadline = block.timestamp + _settings.rules().reportWindow;
        vrfChosenMap[chosenID] = Sampling.choose(activeVrfNodeList, _settings.rules().maxChosenNodes, word);
        bytes32[] memory ids = _requests[requestId];
        for (uint256 i = 0; i < ids.length; i++) {
            attestations[ids[i]].vrfChosenID = chosenID;
            attestations[ids[i]].deadline = deadline;
        }
        emit IVerifierService.ConfirmVrfNodes(requestId, vrfChosenMap[chosenID], deadline);
    }

    function nodeReportVerification(bytes32 attestationID, uint32 index, uint8 result) external {
        _report(attestationID, msg.sender, index, result);
        emit IVerifierService.NodeReportVerification(msg.sender, attestationID, result);
    }

    function nodeReportVerificationBatch(bytes32 attestationID, IVerifierService.VerificationInfo[] calldata infos) external {
        for (uint256 i = 0; i < infos.length; i++) {
            IVerifierService.VerificationInfo calldata info = infos[i];
            bytes32 structHash = keccak256(abi.encode(REPORT_TYPE, attestationID, info.result, info.index));
            _checkSigner(structHash, info.signer, info.v, info.r, info.s);
            _report(attestationID, info.signer, info.index, info.result);
        }
        emit IVerifierService.NodeReportVerificationBatch(attestationID, infos);
    }

    function _report(bytes32 attestationID, address node, uint32 index, uint8 result) private {
        IVerifierService.Attestation storage attestation = attestations[attestationID];
        require(attestation.reporter != address(0), RevertingReasons.ATTESTATION_UNKNOWN);
        require(attestation.deadline != 0, RevertingReasons.WAITING_VRF);
        require(block.timestamp <= attestation.deadline, RevertingReasons.DEADLINE_PASSED);
        require(nodeInfos[node].active, RevertingReasons.NOT_ACTIVE);
        require(delegationWeights[node] != 0, RevertingReasons.NO_WEIGHTS);
        require(!attestationVerifiedNode[attestationID][node], RevertingReasons.ALREADY_VERIFY);
        uint32[] storage chosen = vrfChosenMap[attestation.vrfChosenID];
        require(index < chosen.length && chosen[index] == nodeInfos[node].id, RevertingReasons.NOT_CHOSEN);
        attestationVerifiedNode[attestationID][node] = true;
        if (result == 0) attestation.valid++;
        else if (result == 1) attestation.invalid++;
        else if (result == 2) attestation.malicious++;
        else revert(RevertingReasons.UNKNOWN_RESULT);
    }
}
