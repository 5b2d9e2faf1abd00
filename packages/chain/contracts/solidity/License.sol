// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ILicense} from "./interfaces/ILicense.sol";
import {IVerifierService} from "./interfaces/IVerifierService.sol";

/// @title Licenses of verifier nodes. Unclaimed rewards of a license are transferred with the license.
contract License is ILicense, ERC721, Ownable2Step {
    address public override service;
    uint256 public override minted;

    constructor(string memory name, string memory symbol) ERC721(name, symbol) Ownable(msg.sender) {}

    function setService(address service_) external override onlyOwner {
        if (service != address(0)) revert ServiceAlreadySet(service);
        if (service_.code.length == 0) revert NoSuchContract(service_);
        service = service_;
        emit ServiceSet(service_);
    }

    function mint(address to, uint256 count) external override onlyOwner returns (uint256 firstTokenID) {
        if (service == address(0)) revert ServiceNotSet();
        firstTokenID = minted + 1;
        minted += count;
        for (uint256 tokenID = firstTokenID; tokenID < firstTokenID + count; tokenID++) _mint(to, tokenID);
    }

    /// @dev Called for every mint and transfer.
    function _update(address to, uint256 tokenID, address auth) internal override returns (address from) {
        from = super._update(to, tokenID, auth);
        IVerifierService(service).onLicenseMoved(tokenID, to);
    }
}
