import { showPath } from '@vouch/chain/keystore/showPath';
import { nearestName } from '@vouch/platform/config/nearestName';
import { showName, showValue, type Fault } from './configurationFault.ts';
import { existingPath, filePath } from './filePath.ts';
import { keyList, type Key } from './keys.ts';
import type { Entry } from './parseYaml.ts';

/** A flag that overrides a key of the file. */
export interface Override {
  flag: string;
  key: Key<unknown>;
  text: string;
}

/** Reads checked values from flags and file, and collects faults and warnings. */
export class GivenKeys {
  readonly faults: Fault[] = [];
  readonly warnings: Fault[] = [];
  /** Origin of each value by key name; absent keys have no entry. */
  readonly origins = new Map<string, string>();
  readonly file: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #overrides: readonly Override[];

  /** @param file name of the configuration file, for messages */
  constructor(file: string, entries: readonly Entry[], overrides: readonly Override[]) {
    this.file = file;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#overrides = overrides;
    for (const entry of entries) this.#warnOfUnknown(entry);
  }

  /** Returns the value of a key; undefined if the key is absent or invalid. An invalid value adds a fault. */
  take<Value>(key: Key<Value>): Value | undefined {
    const override = this.#overrides.find(({ key: { name } }) => name === key.name);
    const entry = this.#entries.get(key.name);
    const given = override === undefined ? entry?.given : { text: override.text, list: null, tree: () => override.text };
    if (given === undefined || (override === undefined && given.text === '')) return this.#takeAbsent(key);
    const parsed = key.parse(given);
    const where = override?.flag ?? this.whereIs(key);
    if ('value' in parsed) {
      this.origins.set(key.name, where);
      return parsed.value;
    }
    const subject = override === undefined ? key.name : 'the value';
    const shown = key.secret !== undefined ? ' (not shown) is invalid' : given.text === null ? ' is invalid' : ` is ${showValue(given.text)}`;
    this.faults.push({ where, sentence: key.structured ? `${subject} ${parsed.fault}.` : `${subject}${shown}; it must be ${parsed.fault}.` });
    return undefined;
  }

  /** Reads a path like take. A path in the file is relative to the file's folder, a path in a flag to the working folder. */
  takePath(key: Key<string>): string | undefined {
    const written = this.take(key);
    return written === undefined || this.#overrides.some(({ key: { name } }) => name === key.name) ? written : this.locate(key, written);
  }

  /** Resolves a path from the file, or the default of a key, with existingPath. */
  locate(key: Key<string>, written: string): string {
    const { path, former } = existingPath(written, this.file);
    if (former !== null) this.warnings.push({ where: this.whereIs(key), sentence: `${key.name} is relative to the working folder (${showPath(former)}), which is deprecated. Paths in the file are relative to the folder of the file: move it to ${showPath(filePath(written, this.file).path)}, or write an absolute path.` });
    return path;
  }

  /** Whether the file sets the key, to a valid or an invalid value. */
  has(key: Key<unknown>): boolean {
    const given = this.#entries.get(key.name)?.given;
    return given !== undefined && given.text !== '';
  }

  /** Returns the file and line of a key; only the file if the key is absent. */
  whereIs(key: Key<unknown>): string {
    const entry = this.#entries.get(key.name);
    return entry === undefined ? this.file : `${this.file}, line ${entry.line}`;
  }

  #takeAbsent(key: Key<unknown>): undefined {
    if (key.absent === undefined) this.faults.push({ where: this.whereIs(key), sentence: `${key.name} is missing; it must be ${key.range}.` });
    return undefined;
  }

  #warnOfUnknown({ name, line, given }: Entry): void {
    const names = keyList.map((key) => key.name);
    if (names.includes(name)) return;
    const where = `${this.file}, line ${line}`;
    if (names.some((known) => known.startsWith(`${name}.`))) {
      if (given.text !== '') this.faults.push({ where, sentence: `${name} is a section: indent its keys below it.` });
      return;
    }
    // The second lookup finds a key that is in a wrong section or in none.
    const near = nearestName(name, names) ?? names.find((known) => known.split('.')[1] === name.split('.').at(-1)) ?? null;
    this.warnings.push({ where, sentence: `${showName(name)} is unknown and has no effect${near === null ? '' : `; did you mean ${near}?`}`.replace(/(?<!\?)$/, '.') });
  }
}
