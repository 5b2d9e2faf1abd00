// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The revert texts of the reverting services.
/// @dev Strings instead of the words of `Reasons`, so that the gas is that of a service with plain `require`.
library RevertingReasons {
    string internal constant INVALID_EXPIRED_AT = "Invalid expiredAt";
    string internal constant INVALID_SIGNATURE_S = "Invalid signature S";
    string internal constant SIGNER_NOT_MATCH = "signer not match";
    string internal constant NO_DELEGATION_WEIGHTS = "No delegationWeights";
    string internal constant ALREADY_ENTER = "Already enter";
    string internal constant LESS_WEIGHTS = "Less weights";
    string internal constant REPLACED_NOT_ACTIVE = "Replaced node is not active";
    string internal constant ALREADY_EXIT = "Already exit";
    string internal constant NOT_REGISTER = "Not register";
    string internal constant COMMISSION_INTERVAL = "Not meet min commission rate modify interval";
    string internal constant COMMISSION_STEP = "Modify too large at one time";
    string internal constant COMMISSION_VALUE = "Value is too large";
    string internal constant NOT_TEE = "Not tee";
    string internal constant ATTESTATION_EXISTS = "Attestation already exist";
    string internal constant ATTESTATION_UNKNOWN = "Attestation not exist";
    string internal constant NOT_RANDOMNESS = "Not randomness source";
    string internal constant WAITING_VRF = "Waiting vrf";
    string internal constant DEADLINE_PASSED = "Deadline passed";
    string internal constant NOT_ACTIVE = "Not active";
    string internal constant NO_WEIGHTS = "No weights";
    string internal constant ALREADY_VERIFY = "Already verify";
    string internal constant NOT_CHOSEN = "Not chosen";
    string internal constant UNKNOWN_RESULT = "Unknown result";
    string internal constant DEADLINE_NOT_PASSED = "Deadline not passed";
    string internal constant ALREADY_SLASH = "Already slash";
    string internal constant NOT_TO_BE_SLASHED = "Not to be slashed";
    string internal constant NOT_LICENSE_CONTRACT = "Not license contract";
    string internal constant NOT_TOKEN_OWNER = "Not token owner";
}
