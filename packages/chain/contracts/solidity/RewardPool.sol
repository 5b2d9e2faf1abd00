// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IRewardPool} from "./interfaces/IRewardPool.sol";

/// @title The tokens that rewards are paid from, and the amount that is reserved.
contract RewardPool is IRewardPool, Ownable2Step {
    using SafeERC20 for IERC20;

    address public immutable override token;
    address public override service;
    uint256 public override reserved;

    modifier onlyService() {
        if (msg.sender != service) revert OnlyService(msg.sender);
        _;
    }

    constructor(address token_) Ownable(msg.sender) {
        if (token_.code.length == 0) revert NoSuchContract(token_);
        token = token_;
    }

    function setService(address service_) external override onlyOwner {
        if (service != address(0)) revert ServiceAlreadySet(service);
        if (service_.code.length == 0) revert NoSuchContract(service_);
        service = service_;
        emit ServiceSet(service_);
    }

    function reserve(uint256 wanted) external override onlyService returns (uint256 granted) {
        uint256 free = available();
        granted = wanted < free ? wanted : free;
        reserved += granted;
        emit Reserved(granted);
    }

    function release(uint256 amount) external override onlyService {
        reserved -= amount;
        emit Released(amount);
    }

    function pay(address to, uint256 amount) external override onlyService {
        reserved -= amount;
        emit Paid(to, amount);
        IERC20(token).safeTransfer(to, amount);
    }

    function available() public view override returns (uint256) {
        return IERC20(token).balanceOf(address(this)) - reserved;
    }
}
