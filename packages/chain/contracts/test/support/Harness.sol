// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IDisputableSlasher} from "../../solidity/interfaces/IDisputableSlasher.sol";
import {ILicense} from "../../solidity/interfaces/ILicense.sol";
import {ILocalRandomness} from "../../solidity/interfaces/IRandomness.sol";
import {IRewardPool} from "../../solidity/interfaces/IRewardPool.sol";
import {ISettings} from "../../solidity/interfaces/ISettings.sol";
import {IVerifierService} from "../../solidity/interfaces/IVerifierService.sol";
import {Deployed} from "./Deployed.sol";
import {Signing} from "./Signing.sol";
import {vm} from "./Vm.sol";

/// @title A whole deployment, and what most tests do with it.
abstract contract Harness {
    uint256 internal constant POOL = 1_000_000 ether;
    uint128 internal constant DAILY_REWARD = 1_000 ether;
    uint128 internal constant SLASH_AMOUNT = 3 ether;
    uint256 internal constant START = 1_700_000_000;
    address internal constant SLASHER = address(0x51A5);
    address internal constant ARBITER = address(0xA4B1);
    uint256 private constant FIRST_KEY = 0xA11CE000;

    ISettings internal settings;
    ILicense internal license;
    IERC20 internal token;
    IRewardPool internal pool;
    ILocalRandomness internal randomness;
    IVerifierService internal service;
    IDisputableSlasher internal slasher;
    uint256 private _attestations;

    function setUp() public virtual {
        vm.warp(START);
        deploy(defaultRules());
    }

    function defaultRules() internal pure virtual returns (ISettings.Rules memory) {
        return ISettings.Rules({
            reportWindow: 30 minutes,
            maxExpiry: 6 hours,
            commissionInterval: 1 weeks,
            dayLength: 1 days,
            minOnline: 6 hours,
            maxActiveNodes: 2_000,
            maxChosenNodes: 200,
            maxCommissionIncrease: 500,
            maxMissedReports: 2,
            maxDelegations: 100
        });
    }

    function defaultVerdictRules() internal pure virtual returns (ISettings.VerdictRules memory) {
        return ISettings.VerdictRules({quorum: 5_000, randomnessRetry: 10 minutes, selectionPeriod: 1 days, slashDelay: 3 days});
    }

    /// @dev Changes take effect at once, unless a test deploys settings of its own.
    function makeSettings(ISettings.Rules memory rules, uint32 changeDelay) public returns (ISettings) {
        bytes memory arguments = abi.encode(rules, defaultVerdictRules(), DAILY_REWARD, SLASH_AMOUNT, changeDelay);
        return ISettings(Deployed.create("settings", arguments));
    }

    function deploy(ISettings.Rules memory rules) internal {
        deploy(rules, "verifierService");
    }

    function deploy(ISettings.Rules memory rules, string memory serviceName) internal {
        settings = makeSettings(rules, 0);
        license = ILicense(Deployed.create("license", abi.encode("License", "LIC")));
        token = IERC20(Deployed.create("rewardToken", abi.encode("Reward", "RWD", address(this), 10 * POOL)));
        pool = IRewardPool(Deployed.create("rewardPool", abi.encode(token)));
        randomness = ILocalRandomness(Deployed.create("localRandomness", abi.encode(keccak256("seed"))));
        service = deployService(serviceName, "1.0.0");
        license.setService(address(service));
        pool.setService(address(service));
        token.transfer(address(pool), POOL);
        service.setTee(address(this), true);
        // The service of tests has no slashing.
        if (keccak256(bytes(serviceName)) == keccak256("verifierService")) introduceSlasher();
    }

    function introduceSlasher() private {
        slasher = IDisputableSlasher(Deployed.create("disputableSlasher", abi.encode(service, address(this), uint48(0))));
        service.setSlasher(address(slasher));
        IAccessControl(address(slasher)).grantRole(keccak256("SLASHER_ROLE"), SLASHER);
        IAccessControl(address(slasher)).grantRole(keccak256("ARBITER_ROLE"), ARBITER);
    }

    function deployService(string memory name, string memory version) internal returns (IVerifierService) {
        return IVerifierService(
            Deployed.create(name, abi.encode(settings, license, randomness, pool, "ProtocolService", version))
        );
    }

    // Operators are numbered; their keys and addresses follow from the number.

    function key(uint256 operator) internal pure returns (uint256) {
        return FIRST_KEY + operator;
    }

    function node(uint256 operator) internal pure returns (address) {
        return vm.addr(key(operator));
    }

    /// @notice Gives an operator licenses and enters it.
    function enter(uint256 operator, uint256 licenses) internal returns (address) {
        if (licenses != 0) license.mint(node(operator), licenses);
        vm.prank(node(operator));
        service.nodeEnter(address(0));
        return node(operator);
    }

    function enterMany(uint256 count) internal {
        for (uint256 operator = 0; operator < count; operator++) enter(operator, 1);
    }

    function info(address of_) internal view returns (IVerifierService.NodeInfo memory) {
        return service.nodeInfos(of_);
    }

    // Attestations

    /// @notice Reports an attestation that was not there before, without choosing nodes.
    function reportAttestation() internal returns (bytes32 attestationID) {
        string[] memory texts = new string[](1);
        texts[0] = string.concat("attestation ", vm.toString(_attestations++));
        service.teeReportAttestations(texts);
        return keccak256(bytes(texts[0]));
    }

    /// @notice Reports an attestation and has nodes chosen.
    function openAttestation() internal returns (bytes32 attestationID) {
        attestationID = reportAttestation();
        randomness.fulfill(randomness.lastRequestId());
    }

    function chosenOf(bytes32 attestationID) internal view returns (uint32[] memory) {
        return service.chosenNodes(service.attestations(attestationID).vrfChosenID);
    }

    /// @notice The place of a node in the chosen list; fails when it is not there.
    function indexOf(bytes32 attestationID, address of_) internal view returns (uint32) {
        uint32[] memory chosen = chosenOf(attestationID);
        uint32 id = info(of_).id;
        for (uint32 index = 0; index < chosen.length; index++) if (chosen[index] == id) return index;
        revert("the node is not chosen");
    }

    function report(address by, bytes32 attestationID, uint8 result) internal {
        uint32 index = indexOf(attestationID, by);
        vm.prank(by);
        service.nodeReportVerification(attestationID, index, result);
    }

    function passDeadline(bytes32 attestationID) internal {
        vm.warp(service.attestations(attestationID).deadline + 1);
    }

    // Signatures

    function domain() internal view returns (bytes32) {
        return Signing.domainHash("ProtocolService", "1.0.0", block.chainid);
    }

    function signed(uint256 operator, bytes32 message) internal view returns (Signing.Signature memory) {
        return Signing.sign(key(operator), domain(), message);
    }

    function signedReport(uint256 operator, bytes32 attestationID, uint8 result)
        internal
        view
        returns (IVerifierService.VerificationInfo memory)
    {
        return Signing.info(key(operator), domain(), attestationID, result, indexOf(attestationID, node(operator)));
    }

    // Expectations

    function assertVerdict(bytes32 attestationID, bool decided, uint8 result) internal view {
        (bool decided_, uint8 result_) = service.verdict(attestationID);
        vm.assertEq(decided_ ? 1 : 0, decided ? 1 : 0, "decided");
        vm.assertEq(result_, result, "result");
    }

    /// @notice Has a stranger conclude an attestation, and expects the event that says how the attestation ended.
    function concludes(bytes32 attestationID, IVerifierService.AttestationState state, uint256 votes, uint256 needed) internal {
        vm.expectEmit(address(service));
        emit IVerifierService.AttestationConcluded(attestationID, state, votes, needed);
        vm.prank(node(77));
        service.concludeAttestation(attestationID);
    }

    function expectReason(string memory reason) internal {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", reason));
    }
}
