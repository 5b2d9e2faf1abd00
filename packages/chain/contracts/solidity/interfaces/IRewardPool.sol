// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The tokens that rewards are paid from. Anyone can fund the pool by sending tokens to it.
/// @notice `reserved` is the amount that the service reserved and has not paid yet; it never exceeds the balance of the pool.
interface IRewardPool {
    event ServiceSet(address service);
    event Reserved(uint256 amount);
    event Released(uint256 amount);
    event Paid(address indexed to, uint256 amount);

    error OnlyService(address caller);
    error ServiceAlreadySet(address service);
    error NoSuchContract(address service);

    /// @notice Sets the service, once. Only for the owner.
    function setService(address service) external;

    /// @notice Reserves `wanted`, or less if the pool has less unreserved tokens.
    function reserve(uint256 wanted) external returns (uint256 granted);

    /// @notice Returns a reserved amount to the pool.
    function release(uint256 amount) external;

    /// @notice Pays a reserved amount.
    function pay(address to, uint256 amount) external;

    function token() external view returns (address);
    function service() external view returns (address);
    function reserved() external view returns (uint256);
    function available() external view returns (uint256);
}
