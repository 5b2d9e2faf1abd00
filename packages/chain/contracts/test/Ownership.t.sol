// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {ILicense} from "../solidity/interfaces/ILicense.sol";
import {IRewardPool} from "../solidity/interfaces/IRewardPool.sol";
import {ISettings} from "../solidity/interfaces/ISettings.sol";
import {Deployed} from "./support/Deployed.sol";
import {Harness} from "./support/Harness.sol";
import {vm} from "./support/Vm.sol";

/// @title What owners may do, and who else may not.
contract OwnershipTest is Harness {
    function expectStranger() private {
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", node(0)));
        vm.prank(node(0));
    }

    function test_strangers_change_nothing() public {
        expectStranger();
        settings.setRules(defaultRules());
        expectStranger();
        settings.setAmounts(1, 1);
        expectStranger();
        settings.setVerdictRules(defaultVerdictRules());
        expectStranger();
        license.mint(node(0), 1);
        expectStranger();
        license.setService(address(service));
        expectStranger();
        pool.setService(address(service));
    }

    function test_a_new_owner_has_to_accept() public {
        Ownable2Step(address(settings)).transferOwnership(node(0));
        vm.assertEq(Ownable2Step(address(settings)).owner(), address(this));
        vm.prank(node(0));
        Ownable2Step(address(settings)).acceptOwnership();
        vm.assertEq(Ownable2Step(address(settings)).owner(), node(0));
    }

    function test_rules_change_and_are_told() public {
        ISettings.Rules memory rules = defaultRules();
        rules.reportWindow = 90;
        rules.maxActiveNodes = 7;
        vm.expectEmit(address(settings));
        emit ISettings.RulesAnnounced(rules, block.timestamp);
        settings.setRules(rules);
        vm.assertEq(settings.rules().reportWindow, 90);
        vm.assertEq(settings.rules().maxActiveNodes, 7);
        vm.assertEq(settings.rules().maxDelegations, 100);
    }

    // Changes are announced

    function test_each_group_of_settings_waits_for_its_time() public {
        ISettings slow = makeSettings(defaultRules(), 1 days);
        ISettings.VerdictRules memory verdictRules = defaultVerdictRules();
        verdictRules.quorum = 6_000;
        uint256 effectiveAt = block.timestamp + 1 days;
        vm.expectEmit(address(slow));
        emit ISettings.VerdictRulesAnnounced(verdictRules, effectiveAt);
        slow.setVerdictRules(verdictRules);
        vm.expectEmit(address(slow));
        emit ISettings.AmountsAnnounced(5, 6, effectiveAt);
        slow.setAmounts(5, 6);
        vm.warp(effectiveAt - 1);
        vm.assertEq(slow.verdictRules().quorum, 5_000);
        vm.assertEq(slow.dailyReward(), DAILY_REWARD);
        vm.assertEq(slow.slashAmount(), SLASH_AMOUNT);
        vm.warp(effectiveAt);
        vm.assertEq(slow.verdictRules().quorum, 6_000);
        vm.assertEq(slow.dailyReward(), 5);
        vm.assertEq(slow.slashAmount(), 6);
        (uint256 rules, uint256 verdict, uint256 amounts) = slow.effectiveTimes();
        vm.assertLe(rules, START);
        vm.assertEq(verdict, effectiveAt);
        vm.assertEq(amounts, effectiveAt);
        vm.assertEq(slow.changeDelay(), 1 days);
    }

    function test_a_changed_rule_takes_effect_after_the_delay_that_its_event_names() public {
        ISettings slow = makeSettings(defaultRules(), 2 days);
        ISettings.Rules memory rules = defaultRules();
        rules.reportWindow = 90;
        uint256 effectiveAt = block.timestamp + 2 days;
        vm.expectEmit(address(slow));
        emit ISettings.RulesAnnounced(rules, effectiveAt);
        slow.setRules(rules);
        vm.warp(effectiveAt - 1);
        vm.assertEq(slow.rules().reportWindow, 30 minutes);
        vm.warp(effectiveAt);
        vm.assertEq(slow.rules().reportWindow, 90);
    }

    function test_a_later_announcement_replaces_one_that_is_not_in_force() public {
        ISettings slow = makeSettings(defaultRules(), 1 days);
        ISettings.Rules memory rules = defaultRules();
        rules.reportWindow = 90;
        slow.setRules(rules);
        vm.warp(block.timestamp + 1 days - 1);
        rules.reportWindow = 80;
        slow.setRules(rules);
        vm.warp(block.timestamp + 1);
        vm.assertEq(slow.rules().reportWindow, 30 minutes);
        vm.warp(block.timestamp + 1 days - 1);
        vm.assertEq(slow.rules().reportWindow, 80);
        // One that is in force stays so until the next is.
        rules.reportWindow = 70;
        slow.setRules(rules);
        vm.assertEq(slow.rules().reportWindow, 80);
    }

    function test_every_verdict_rule_has_bounds() public {
        string[4] memory names = ["quorum", "randomnessRetry", "selectionPeriod", "slashDelay"];
        for (uint256 i = 0; i < 4; i++) {
            for (uint256 high = 0; high < 2; high++) {
                ISettings.VerdictRules memory rules = defaultVerdictRules();
                if (i == 0) rules.quorum = uint16(high * 10_000);
                if (i == 1) rules.randomnessRetry = uint32(high * 366 days);
                if (i == 2) rules.selectionPeriod = uint32(high * 366 days);
                if (i == 3) rules.slashDelay = uint32(high * 366 days);
                vm.expectRevert(abi.encodeWithSelector(ISettings.RuleOutOfRange.selector, names[i]));
                settings.setVerdictRules(rules);
            }
        }
        try this.makeSettings(defaultRules(), 366 days) {
            revert("it was made");
        } catch (bytes memory reason) {
            vm.assertEq(reason, abi.encodeWithSelector(ISettings.RuleOutOfRange.selector, "changeDelay"));
        }
    }

    // A timelock as the owner, with a contract that holds several keys as its only proposer

    function test_a_timelock_owns_every_contract_and_changes_them_after_its_delay() public {
        address[] memory proposers = new address[](1);
        proposers[0] = node(50);
        TimelockController timelock = TimelockController(
            payable(Deployed.create("timelock", abi.encode(2 days, proposers, new address[](1), address(0))))
        );
        address[4] memory owned = [address(settings), address(service), address(license), address(pool)];
        for (uint256 i = 0; i < owned.length; i++) {
            Ownable2Step(owned[i]).transferOwnership(address(timelock));
            through(timelock, owned[i], abi.encodeCall(Ownable2Step.acceptOwnership, ()));
            vm.assertEq(Ownable2Step(owned[i]).owner(), address(timelock));
        }
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", address(this)));
        settings.setAmounts(1, 1);
        through(timelock, address(settings), abi.encodeCall(ISettings.setAmounts, (7, 8)));
        vm.assertEq(settings.dailyReward(), 7);
    }

    /// @dev Proposed by its proposer, carried out by anybody after two days, and not before.
    function through(TimelockController timelock, address target, bytes memory call_) private {
        vm.prank(node(50));
        timelock.schedule(target, 0, call_, bytes32(0), bytes32(0), 2 days);
        vm.warp(block.timestamp + 2 days - 1);
        bytes32 operation = timelock.hashOperation(target, 0, call_, bytes32(0), bytes32(0));
        bytes32 ready = bytes32(1 << uint8(TimelockController.OperationState.Ready));
        vm.expectRevert(abi.encodeWithSelector(TimelockController.TimelockUnexpectedOperationState.selector, operation, ready));
        timelock.execute(target, 0, call_, bytes32(0), bytes32(0));
        vm.warp(block.timestamp + 1);
        timelock.execute(target, 0, call_, bytes32(0), bytes32(0));
    }

    function test_the_length_of_a_day_is_fixed() public {
        ISettings.Rules memory rules = defaultRules();
        rules.dayLength = 2 days;
        vm.expectRevert(abi.encodeWithSelector(ISettings.DayLengthIsFixed.selector, 1 days));
        settings.setRules(rules);
    }

    function outOfRange(ISettings.Rules memory rules, string memory rule) private {
        vm.expectRevert(abi.encodeWithSelector(ISettings.RuleOutOfRange.selector, rule));
        settings.setRules(rules);
    }

    function test_every_rule_has_bounds() public {
        ISettings.Rules memory rules = defaultRules();
        rules.reportWindow = 0;
        outOfRange(rules, "reportWindow");
        rules = defaultRules();
        rules.maxExpiry = 366 days;
        outOfRange(rules, "maxExpiry");
        rules = defaultRules();
        rules.commissionInterval = 0;
        outOfRange(rules, "commissionInterval");
        rules = defaultRules();
        rules.minOnline = 1 days;
        outOfRange(rules, "minOnline");
        rules = defaultRules();
        rules.maxActiveNodes = 10_001;
        outOfRange(rules, "maxActiveNodes");
        rules = defaultRules();
        rules.maxChosenNodes = 1_001;
        outOfRange(rules, "maxChosenNodes");
        rules = defaultRules();
        rules.maxCommissionIncrease = 10_001;
        outOfRange(rules, "maxCommissionIncrease");
        rules = defaultRules();
        rules.maxMissedReports = 0;
        outOfRange(rules, "maxMissedReports");
        rules = defaultRules();
        rules.maxDelegations = 0;
        outOfRange(rules, "maxDelegations");
    }

    function test_a_settings_contract_without_days_cannot_be_made() public {
        ISettings.Rules memory rules = defaultRules();
        rules.dayLength = 0;
        try this.makeSettings(rules, 0) {
            revert("it was made");
        } catch (bytes memory reason) {
            vm.assertEq(reason, abi.encodeWithSelector(ISettings.RuleOutOfRange.selector, "dayLength"));
        }
    }

    function test_amounts_change() public {
        vm.expectEmit(address(settings));
        emit ISettings.AmountsAnnounced(5, 6, block.timestamp);
        settings.setAmounts(5, 6);
        vm.assertEq(settings.dailyReward(), 5);
        vm.assertEq(settings.slashAmount(), 6);
    }

    function test_licenses_need_a_service_which_is_named_once() public {
        ILicense fresh = ILicense(Deployed.create("license", abi.encode("L", "L")));
        vm.expectRevert(ILicense.ServiceNotSet.selector);
        fresh.mint(node(0), 1);
        vm.expectRevert(abi.encodeWithSelector(ILicense.NoSuchContract.selector, node(0)));
        fresh.setService(node(0));
        vm.expectRevert(abi.encodeWithSelector(ILicense.ServiceAlreadySet.selector, address(service)));
        license.setService(address(this));
    }

    function test_licenses_are_numbered_from_one() public {
        vm.assertEq(license.mint(node(0), 2), 1);
        vm.assertEq(license.mint(node(1), 1), 3);
        vm.assertEq(license.minted(), 3);
        vm.assertEq(license.balanceOf(node(0)), 2);
        vm.assertEq(license.ownerOf(3), node(1));
    }

    function test_the_pool_obeys_the_service_alone() public {
        vm.expectRevert(abi.encodeWithSelector(IRewardPool.OnlyService.selector, address(this)));
        pool.reserve(1);
        vm.expectRevert(abi.encodeWithSelector(IRewardPool.OnlyService.selector, address(this)));
        pool.release(1);
        vm.expectRevert(abi.encodeWithSelector(IRewardPool.OnlyService.selector, address(this)));
        pool.pay(address(this), 1);
        vm.expectRevert(abi.encodeWithSelector(IRewardPool.ServiceAlreadySet.selector, address(service)));
        pool.setService(address(this));
    }

    function test_the_pool_pays_only_what_is_reserved() public {
        vm.prank(address(service));
        vm.assertEq(pool.reserve(POOL + 1), POOL);
        vm.prank(address(service));
        vm.assertEq(pool.reserve(1), 0);
        vm.prank(address(service));
        pool.release(40);
        vm.prank(address(service));
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        pool.pay(node(0), POOL);
        vm.prank(address(service));
        pool.pay(node(0), POOL - 40);
        vm.assertEq(pool.reserved(), 0);
        vm.assertEq(token.balanceOf(node(0)), POOL - 40);
    }

    function test_a_pool_needs_a_token() public {
        try this.makePool() {
            revert("it was made");
        } catch (bytes memory reason) {
            vm.assertEq(reason, abi.encodeWithSelector(IRewardPool.NoSuchContract.selector, node(0)));
        }
    }

    function makePool() external returns (address) {
        return Deployed.create("rewardPool", abi.encode(node(0)));
    }

    function test_the_service_names_the_contracts_around_it() public view {
        vm.assertEq(service.settings(), address(settings));
        vm.assertEq(service.license(), address(license));
        vm.assertEq(service.randomness(), address(randomness));
        vm.assertEq(service.rewardPool(), address(pool));
    }
}
