// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IVerifierService} from "../solidity/interfaces/IVerifierService.sol";
import {Harness} from "./support/Harness.sol";
import {Signing} from "./support/Signing.sol";
import {vm} from "./support/Vm.sol";

/// @title The messages that gateway and node are checked with too, signed by an implementation that is not ours.
contract VectorsTest is Harness {
    string private constant FILE = "packages/chain/messages/fixtures/vectors.json";

    string private json;
    // The vector that is looked at.
    string private place;

    function text(string memory field) private view returns (string memory) {
        return vm.parseJsonString(json, string.concat(place, field));
    }

    function number(string memory field) private view returns (uint256) {
        return vm.parseJsonUint(json, string.concat(place, field));
    }

    function word(string memory field) private view returns (bytes32) {
        return vm.parseJsonBytes32(json, string.concat(place, field));
    }

    function addressAt(string memory field) private view returns (address) {
        return vm.parseJsonAddress(json, string.concat(place, field));
    }

    function is_(string memory kind) private view returns (bool) {
        return keccak256(bytes(text(".kind"))) == keccak256(bytes(kind));
    }

    function structHash() private view returns (bytes32) {
        if (is_("enter")) return Signing.enter(addressAt(".message.replacedNode"), number(".message.expiredAt"));
        if (is_("exit")) return Signing.exit(number(".message.expiredAt"));
        if (is_("commission")) {
            return Signing.commission(uint32(number(".message.commissionRate")), number(".message.expiredAt"));
        }
        if (is_("claimer")) return Signing.claimer(addressAt(".message.claimer"), number(".message.expiredAt"));
        if (is_("report")) {
            return Signing.report(word(".message.attestationID"), number(".message.result"), number(".message.index"));
        }
        revert(string.concat("a vector of an unknown kind: ", text(".kind")));
    }

    /// @dev Calls `visit` for each vector, and fails when there is none.
    function eachVector(function() internal visit) private returns (uint256 count) {
        json = vm.readFile(FILE);
        while (vm.keyExistsJson(json, string.concat(".vectors[", vm.toString(count), "]"))) {
            place = string.concat(".vectors[", vm.toString(count++), "]");
            visit();
        }
        vm.assertGe(count, 50);
    }

    function recover() private view {
        bytes32 domainHash = Signing.domainHash(text(".domain_name"), text(".domain_version"), number(".chain_id"));
        vm.assertEq(domainHash, word(".domain_hash"), place);
        bytes32 digest = Signing.digest(domainHash, structHash());
        vm.assertEq(digest, word(".digest"), place);
        vm.assertEq(ecrecover(digest, uint8(number(".v")), word(".r"), word(".s")), addressAt(".signer"));
    }

    function test_each_vector_recovers_its_signer() public {
        eachVector(recover);
    }

    uint256 private applied;

    /// @dev Nobody has weight or is registered here, so a call gets past its signature and no further.
    function send() private {
        bool ofThisChain = keccak256(bytes(text(".domain_version"))) == keccak256("1.0.0") && number(".chain_id") == 31337;
        if (!ofThisChain || is_("report")) return;
        uint256 expiredAt = number(".message.expiredAt");
        if (expiredAt < block.timestamp || expiredAt > block.timestamp + 6 hours) return;
        applied++;
        (uint8 v, bytes32 r, bytes32 s) = (uint8(number(".v")), word(".r"), word(".s"));
        address signer = addressAt(".signer");
        if (is_("enter")) {
            address replaced = addressAt(".message.replacedNode");
            expectReason("No delegationWeights");
            service.nodeEnterWithSignature(replaced, expiredAt, signer, v, r, s);
        } else if (is_("exit")) {
            expectReason("Already exit");
            service.nodeExitWithSignature(expiredAt, signer, v, r, s);
        } else if (is_("commission")) {
            uint32 rate = uint32(number(".message.commissionRate"));
            expectReason("Not register");
            service.nodeModifyCommissionRateWithSignature(rate, expiredAt, signer, v, r, s);
        } else {
            address claimer = addressAt(".message.claimer");
            expectReason("Not register");
            service.nodeSetRewardClaimerWithSignature(claimer, expiredAt, signer, v, r, s);
        }
    }

    function test_the_service_takes_the_signatures_of_the_vectors() public {
        eachVector(send);
        vm.assertGe(applied, 20);
    }
}
