// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title Licenses of verifier nodes: an ERC-721 whose every movement the service hears of.
interface ILicense is IERC721 {
    event ServiceSet(address service);

    error ServiceAlreadySet(address service);
    error ServiceNotSet();
    error NoSuchContract(address service);

    /// @notice Names the service, once. For the owner.
    /// @dev Reverts: `ServiceAlreadySet`, `NoSuchContract`.
    function setService(address service) external;

    /// @notice Mints `count` licenses. For the owner.
    /// @return firstTokenID the first of `count` ids that follow each other
    /// @dev Reverts: `ServiceNotSet`.
    function mint(address to, uint256 count) external returns (uint256 firstTokenID);

    /// @notice How many licenses were minted; their ids are 1 to this.
    function minted() external view returns (uint256);

    function service() external view returns (address);
}
