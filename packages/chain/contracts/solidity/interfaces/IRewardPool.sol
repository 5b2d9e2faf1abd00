// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title The tokens that rewards are paid from. Whoever sends tokens here fills it.
/// @notice `reserved` is what the service promised and did not pay yet; it never exceeds what the pool holds.
interface IRewardPool {
    event ServiceSet(address service);
    event Reserved(uint256 amount);
    event Released(uint256 amount);
    event Paid(address indexed to, uint256 amount);

    error OnlyService(address caller);
    error ServiceAlreadySet(address service);
    error NoSuchContract(address service);

    /// @notice Names the service, once. For the owner.
    function setService(address service) external;

    /// @notice Reserves as much of `wanted` as is free.
    function reserve(uint256 wanted) external returns (uint256 granted);

    /// @notice Gives a reserved amount back to the pool.
    function release(uint256 amount) external;

    /// @notice Pays a reserved amount.
    function pay(address to, uint256 amount) external;

    function token() external view returns (address);
    function service() external view returns (address);
    function reserved() external view returns (uint256);
    function available() external view returns (uint256);
}
