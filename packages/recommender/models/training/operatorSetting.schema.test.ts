import { Problem } from '@vouch/platform/errors/problem';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { defaultSetting } from '../../engine/data/defaultSetting.ts';
import { OperatorSettingSchema, PublicSetting, readSetting, SettingRequest, toPublicSetting } from './operatorSetting.schema.ts';

const named = { user_exponent: -0.5, source_exponent: -0.5, item_exponent: -0.2, damping: 3, low_pass: 0.3 };

function refusal(given: SettingRequest): unknown {
  try {
    return readSetting(given);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { message: error.message, errors: error.errors };
  }
}

test('names and aliases mean the same setting', () => {
  expect(readSetting(named)).toEqual(defaultSetting);
  expect(readSetting({ ...defaultSetting })).toEqual(defaultSetting);
  expect(readSetting({ ...named, ...defaultSetting })).toEqual(defaultSetting);
  const { damping: _, ...rest } = named;
  expect(readSetting({ ...rest, T: 3, recency: true, transitions: 0.3 })).toEqual({ ...defaultSetting, recency: true, transitions: 0.3 });
});

test('a setting of an answer can be sent back', () => {
  const setting = { ...defaultSetting, recency: true, transitions: 0.5 };
  expect(toPublicSetting(setting)).toEqual({ ...named, recency: true, transitions: 0.5 });
  expect(readSetting(toPublicSetting(setting))).toEqual(setting);
});

test('a setting for sparse data, with strengthened directions and all pairs, is valid and can be sent back', () => {
  const setting = { pu: -0.5, pa: -0.35, pb: 0.1, T: -2, b: 8, allPairs: true };
  expect(toPublicSetting(setting)).toMatchObject({ damping: -2, all_pairs: true });
  expect(readSetting(toPublicSetting(setting))).toEqual(setting);
  expect(Check(OperatorSettingSchema, setting)).toBe(true);
  expect(Check(PublicSetting, toPublicSetting(setting))).toBe(true);
  expect(Check(SettingRequest, { ...toPublicSetting(setting), damping: -2.1 })).toBe(false);
});

test('a ridge needs all pairs and a penalty, and can be sent back', () => {
  const setting = { ...defaultSetting, allPairs: true, ridge: 2.5, lambda: 100 };
  expect(toPublicSetting(setting)).toMatchObject({ ridge: 2.5, ridge_penalty: 100 });
  expect(readSetting(toPublicSetting(setting))).toEqual(setting);
  expect(Check(OperatorSettingSchema, setting)).toBe(true);
  expect(readSetting({ ...named, ridge: 0 })).toEqual({ ...defaultSetting, ridge: 0 });
  expect(refusal({ ...named, ridge: 2.5 })).toMatchObject({
    message: expect.stringMatching(/ridge is 2.5 without all_pairs/) as string,
    errors: [{ location: '/parameters/setting/all_pairs' }, { location: '/parameters/setting/ridge_penalty' }],
  });
  expect(Check(SettingRequest, { ...named, all_pairs: true, ridge: 1, ridge_penalty: 0 })).toBe(false);
});

test('alternating least squares need all pairs, and can be sent back', () => {
  const setting = { ...defaultSetting, allPairs: true, als: 3.75, confidence: 5 };
  expect(toPublicSetting(setting)).toMatchObject({ als: 3.75, als_confidence: 5 });
  expect(readSetting(toPublicSetting(setting))).toEqual(setting);
  expect(Check(OperatorSettingSchema, setting)).toBe(true);
  expect(refusal({ ...named, als: 3.75 })).toMatchObject({ message: expect.stringMatching(/als is 3.75 without all_pairs/) as string });
});

test('a weight of metadata needs nothing else, and can be sent back', () => {
  const setting = { ...defaultSetting, content: 0.0134 };
  expect(readSetting(toPublicSetting(setting))).toEqual(setting);
  expect(Check(OperatorSettingSchema, setting)).toBe(true);
  expect(Check(SettingRequest, { ...named, content: -1 })).toBe(false);
});

test('a name and its alias with different values are refused by both names', () => {
  expect(refusal({ ...named, T: 4 })).toMatchObject({
    message: expect.stringMatching(/damping is 3 and its alias T is 4/) as string,
    errors: [{ location: '/parameters/setting/damping' }],
  });
});

test('every missing strength is named', () => {
  expect(refusal({ user_exponent: -0.5, pa: -0.5, low_pass: 0 })).toMatchObject({
    errors: [{ location: '/parameters/setting/item_exponent' }, { location: '/parameters/setting/damping' }],
  });
});
