// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @dev Like `require`, with the text in one word: the contract contains the code that copies the text to memory only once. It must fit into
/// 24,576 bytes.
function _require(bool isMet, bytes32 reason) pure {
    if (!isMet) revert(Reasons.toText(reason));
}

/// @title All revert texts and skip reasons of the service. Relayers compare the texts, so they never change.
library Reasons {
    // Signed messages
    bytes32 internal constant INVALID_EXPIRED_AT = "Invalid expiredAt";
    bytes32 internal constant INVALID_SIGNATURE_S = "Invalid signature S";
    bytes32 internal constant SIGNER_NOT_MATCH = "signer not match";
    bytes32 internal constant DIGEST_ALREADY_USED = "Digest already used";

    // Active set
    bytes32 internal constant NO_DELEGATION_WEIGHTS = "No delegationWeights";
    bytes32 internal constant ALREADY_ENTER = "Already enter";
    bytes32 internal constant LESS_WEIGHTS = "Less weights";
    bytes32 internal constant REPLACED_NOT_ACTIVE = "Replaced node is not active";
    bytes32 internal constant ALREADY_EXIT = "Already exit";

    // Commission and claimer
    bytes32 internal constant NOT_REGISTER = "Not register";
    // Longer than a word.
    string internal constant COMMISSION_INTERVAL = "Not meet min commission rate modify interval";
    bytes32 internal constant COMMISSION_STEP = "Modify too large at one time";
    bytes32 internal constant COMMISSION_VALUE = "Value is too large";

    // Attestations and reports
    bytes32 internal constant NOT_TEE = "Not tee";
    bytes32 internal constant NO_ATTESTATIONS = "No attestations";
    bytes32 internal constant ATTESTATION_EXISTS = "Attestation already exist";
    bytes32 internal constant ATTESTATION_UNKNOWN = "Attestation not exist";
    bytes32 internal constant NOT_RANDOMNESS = "Not randomness source";
    bytes32 internal constant NOT_WAITING_VRF = "Not waiting vrf";
    bytes32 internal constant ASKED_RECENTLY = "Asked recently";
    bytes32 internal constant WAITING_VRF = "Waiting vrf";
    bytes32 internal constant DEADLINE_PASSED = "Deadline passed";
    bytes32 internal constant NOT_ACTIVE = "Not active";
    bytes32 internal constant NO_WEIGHTS = "No weights";
    bytes32 internal constant ALREADY_VERIFY = "Already verify";
    bytes32 internal constant NOT_CHOSEN = "Not chosen";
    bytes32 internal constant UNKNOWN_RESULT = "Unknown result";
    bytes32 internal constant MALFORMED_ENTRY = "Malformed entry";

    // Slashing
    bytes32 internal constant DEADLINE_NOT_PASSED = "Deadline not passed";
    bytes32 internal constant ALREADY_SLASH = "Already slash";
    bytes32 internal constant NOT_TO_BE_SLASHED = "Not to be slashed";
    bytes32 internal constant NOT_SLASHER = "Not slasher";
    bytes32 internal constant SLASHER_ALREADY_SET = "Slasher already set";

    // Rewards
    bytes32 internal constant ONLINE_TOO_SHORT = "Online time is too short";
    bytes32 internal constant ALREADY_REPORT_TODAY = "Already report today";
    bytes32 internal constant NOT_CLAIMER = "Not claimer";
    bytes32 internal constant NO_REWARDS = "No rewards";
    bytes32 internal constant DAY_NOT_OVER = "Day is not over";

    // Delegation
    bytes32 internal constant NOT_LICENSE_CONTRACT = "Not license contract";
    bytes32 internal constant NOT_TOKEN_OWNER = "Not token owner";
    bytes32 internal constant INVALID_NODE = "Invalid node";
    bytes32 internal constant ALREADY_DELEGATED = "Already delegated";
    bytes32 internal constant NOT_DELEGATED = "Not delegated";
    bytes32 internal constant TOO_MANY_DELEGATIONS = "Too many delegations";

    /// @notice The text of a reason, without the padding zeros.
    function toText(bytes32 reason) internal pure returns (string memory) {
        uint256 length = 0;
        while (reason << (8 * length) != 0) length++;
        bytes memory text = abi.encodePacked(reason);
        assembly ("memory-safe") {
            mstore(text, length)
        }
        return string(text);
    }
}
