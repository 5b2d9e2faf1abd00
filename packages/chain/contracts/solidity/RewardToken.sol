// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A reward token for chains that have none yet: the deployer names the recipient of the total supply.
contract RewardToken is ERC20 {
    constructor(string memory name, string memory symbol, address holder, uint256 supply) ERC20(name, symbol) {
        _mint(holder, supply);
    }
}
