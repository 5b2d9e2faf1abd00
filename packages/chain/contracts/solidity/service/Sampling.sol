// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title Uniform sampling without replacement.
library Sampling {
    /// @notice Returns `count` random elements of `list`, or all elements in order if the list is not longer.
    /// @dev R. Floyd's sampling (Bentley, "Programming Pearls", CACM 30(9), 1987): one storage read for each chosen element
    /// instead of one for each element. The bias of the modulo is below 2^-240.
    function choose(uint32[] storage list, uint256 count, uint256 word) internal view returns (uint32[] memory chosen) {
        uint256 length = list.length;
        if (length <= count) return list;
        chosen = new uint32[](count);
        uint256[] memory taken = new uint256[](length / 256 + 1);
        uint256 filled = 0;
        for (uint256 bound = length - count; bound < length; bound++) {
            uint256 place = uint256(keccak256(abi.encode(word, bound))) % (bound + 1);
            if (taken[place / 256] & (1 << (place % 256)) != 0) place = bound;
            taken[place / 256] |= 1 << (place % 256);
            chosen[filled++] = list[place];
        }
    }
}
