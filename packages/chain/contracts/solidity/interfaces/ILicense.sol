// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title Licenses of verifier nodes: an ERC-721 that notifies the service of each mint and transfer.
interface ILicense is IERC721 {
    event ServiceSet(address service);

    error ServiceAlreadySet(address service);
    error ServiceNotSet();
    error NoSuchContract(address service);

    /// @notice Sets the service, once. Only for the owner.
    /// @dev Reverts: `ServiceAlreadySet`, `NoSuchContract`.
    function setService(address service) external;

    /// @notice Mints `count` licenses. Only for the owner.
    /// @return firstTokenID the first of `count` consecutive ids
    /// @dev Reverts: `ServiceNotSet`.
    function mint(address to, uint256 count) external returns (uint256 firstTokenID);

    /// @notice Number of minted licenses; their ids are 1 to this number.
    function minted() external view returns (uint256);

    function service() external view returns (address);
}
