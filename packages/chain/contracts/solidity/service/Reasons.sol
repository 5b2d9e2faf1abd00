// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Every text that the service reverts with or skips for. Relayers compare them, so they never change.
library Reasons {
    // Signed messages
    string internal constant INVALID_EXPIRED_AT = "Invalid expiredAt";
    string internal constant INVALID_SIGNATURE_S = "Invalid signature S";
    string internal constant SIGNER_NOT_MATCH = "signer not match";
    string internal constant DIGEST_ALREADY_USED = "Digest already used";

    // Active set
    string internal constant NO_DELEGATION_WEIGHTS = "No delegationWeights";
    string internal constant ALREADY_ENTER = "Already enter";
    string internal constant LESS_WEIGHTS = "Less weights";
    string internal constant REPLACED_NOT_ACTIVE = "Replaced node is not active";
    string internal constant ALREADY_EXIT = "Already exit";

    // Commission and claimer
    string internal constant NOT_REGISTER = "Not register";
    string internal constant COMMISSION_INTERVAL = "Not meet min commission rate modify interval";
    string internal constant COMMISSION_STEP = "Modify too large at one time";
    string internal constant COMMISSION_VALUE = "Value is too large";

    // Attestations and reports
    string internal constant NOT_TEE = "Not tee";
    string internal constant NO_ATTESTATIONS = "No attestations";
    string internal constant ATTESTATION_EXISTS = "Attestation already exist";
    string internal constant ATTESTATION_UNKNOWN = "Attestation not exist";
    string internal constant NOT_RANDOMNESS = "Not randomness source";
    string internal constant NOT_WAITING_VRF = "Not waiting vrf";
    string internal constant ASKED_RECENTLY = "Asked recently";
    string internal constant WAITING_VRF = "Waiting vrf";
    string internal constant DEADLINE_PASSED = "Deadline passed";
    string internal constant NOT_ACTIVE = "Not active";
    string internal constant NO_WEIGHTS = "No weights";
    string internal constant ALREADY_VERIFY = "Already verify";
    string internal constant NOT_CHOSEN = "Not chosen";
    string internal constant UNKNOWN_RESULT = "Unknown result";
    string internal constant MALFORMED_ENTRY = "Malformed entry";

    // Slashing
    string internal constant DEADLINE_NOT_PASSED = "Deadline not passed";
    string internal constant ALREADY_SLASH = "Already slash";
    string internal constant NOT_TO_BE_SLASHED = "Not to be slashed";
    string internal constant NOT_SLASHER = "Not slasher";
    string internal constant SLASHER_ALREADY_SET = "Slasher already set";

    // Rewards
    string internal constant ONLINE_TOO_SHORT = "Online time is too short";
    string internal constant ALREADY_REPORT_TODAY = "Already report today";
    string internal constant NOT_CLAIMER = "Not claimer";
    string internal constant NO_REWARDS = "No rewards";
    string internal constant DAY_NOT_OVER = "Day is not over";

    // Delegation
    string internal constant NOT_LICENSE_CONTRACT = "Not license contract";
    string internal constant NOT_TOKEN_OWNER = "Not token owner";
    string internal constant INVALID_NODE = "Invalid node";
    string internal constant ALREADY_DELEGATED = "Already delegated";
    string internal constant NOT_DELEGATED = "Not delegated";
    string internal constant TOO_MANY_DELEGATIONS = "Too many delegations";
}
