/** How the text of a value becomes a value. Everything arrives as text, from flags and from the file alike, so that both say the same. */
export interface ValueType<Value> {
  /** What is allowed, as the end of the sentence "it must be …". */
  range: string;
  /** @returns undefined where the text is outside of the range */
  read(text: string): Value | undefined;
}

/** Written plainly in decimal digits: 0x10, 1e3 and 1_000 are read differently by different programs. */
export function integer(minimum: number, maximum: number): ValueType<number> {
  return {
    range: `an integer from ${minimum} to ${maximum}`,
    read: (text) => within(/^\d{1,16}$/.test(text) ? Number(text) : NaN, minimum, maximum),
  };
}

function within(value: number, minimum: number, maximum: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

export const truth: ValueType<boolean> = {
  range: 'true or false',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export function text(maxLength: number): ValueType<string> {
  return {
    range: `text of 1 to ${maxLength} characters without line ends`,
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    read: (value) => (value.length >= 1 && value.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(value) ? value : undefined),
  };
}

export function oneOf<const Name extends string>(names: readonly Name[]): ValueType<Name> {
  return { range: names.slice(0, -1).join(', ') + ` or ${names.at(-1)}`, read: (value) => names.find((name) => name === value) };
}

/** `count` bytes in hex. @returns lower case with 0x */
export function hexBytes(count: number, what: string): ValueType<`0x${string}`> {
  const pattern = new RegExp(`^(?:0x)?([0-9a-fA-F]{${2 * count}})$`);
  return {
    range: `${what}: ${2 * count} hex digits, usually after 0x`,
    read: (value) => {
      const digits = pattern.exec(value)?.[1];
      return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
    },
  };
}

/** An http(s) address. @returns without slashes at its end */
export const httpAddress: ValueType<string> = {
  range: 'an http(s) address such as https://gateway.example',
  read: (value) => {
    if (value.length > 2_048 || /\s/.test(value) || !URL.canParse(value)) return undefined;
    const { protocol, hash } = new URL(value);
    return (protocol === 'http:' || protocol === 'https:') && hash === '' ? value.replace(/\/+$/, '') : undefined;
  },
};

/** Where something listens for this machine alone. */
export interface LoopbackAddress {
  host: string;
  port: number;
}

/** Never 0.0.0.0 or a name: what is served there is for nobody else. */
export const loopbackAddress: ValueType<LoopbackAddress> = {
  range: 'an address of this machine alone with a port, such as 127.0.0.1:9464 or [::1]:9464',
  read: (value) => {
    const [, four, six, digits] = /^(?:(127(?:\.\d{1,3}){3})|\[(::1)\]):(\d{1,5})$/.exec(value) ?? [];
    const [host, port] = [four ?? six, Number(digits)];
    return host !== undefined && port >= 1 && port <= 65_535 && host.split('.').every((part) => part === '::1' || Number(part) <= 255) ? { host, port } : undefined;
  },
};
