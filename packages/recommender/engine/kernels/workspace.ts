import { instantiateKernels, type KernelFunctions } from './kernelModule.ts';

const pageBytes = 65_536;
const maxPages = 65_536;
/** Arrays begin at multiples of a cache line, in bytes; the allocation counter counts these units. */
const unitBytes = 64;

/** Kernels can read a whole vector that begins inside an array and ends up to this many bytes after the array. */
const readBehindBytes = 16;

/** First unit for arrays; the unit before holds the counter and the signature. */
const firstUnit = 1;

/** Finds the workspace by the buffer of an array. */
const owners = new WeakMap<ArrayBufferLike, Workspace>();

/** Returns the workspace that contains an array; null for ordinary arrays. */
export function workspaceOf(array: ArrayBufferView): Workspace | null {
  return owners.get(array.buffer) ?? null;
}

/**
 * Second word of every workspace's memory; the third word is the workspace's number. Threads identify the memory by both
 * words.
 */
const signature = 0x766b6e6c;
let workspaces = 0;

/**
 * Shared memory of up to 4 GB that kernels work on, and the arrays in it. The first bytes hold the allocation counter, so
 * every thread with access to the memory can allocate arrays.
 */
export class Workspace {
  readonly memory: WebAssembly.Memory;
  readonly call: KernelFunctions;
  private buffer: SharedArrayBuffer;
  /** Allocated units, the signature and the number of the workspace. */
  private readonly used: Int32Array;

  /** @param memory memory of another thread's workspace; omitted to allocate new memory */
  constructor(memory?: WebAssembly.Memory) {
    this.memory = memory ?? new WebAssembly.Memory({ initial: 1, maximum: maxPages, shared: true });
    this.call = instantiateKernels(this.memory);
    this.buffer = this.memory.buffer;
    owners.set(this.buffer, this);
    this.used = new Int32Array(this.buffer, 0, 3);
    if (memory === undefined) this.used.set([firstUnit, signature, ++workspaces]);
  }

  /**
   * Allocates an array of zeros.
   * @throws RangeError if the 4 GB limit or the machine's memory is exceeded
   */
  floats(length: number): Float32Array {
    const offset = this.take(length * 4);
    return new Float32Array(this.buffer, offset, length);
  }

  integers(length: number): Int32Array {
    const offset = this.take(length * 4);
    return new Int32Array(this.buffer, offset, length);
  }

  bytes(length: number): Uint8Array {
    const offset = this.take(length);
    return new Uint8Array(this.buffer, offset, length);
  }

  shorts(length: number): Int16Array {
    const offset = this.take(length * 2);
    return new Int16Array(this.buffer, offset, length);
  }

  doubles(length: number): Float64Array {
    const offset = this.take(length * 8);
    return new Float64Array(this.buffer, offset, length);
  }

  /** Returns the array itself if it is in this memory, otherwise a copy in this memory. */
  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers {
    if (this.holds(array)) return array;
    const copy = array instanceof Int32Array
      ? this.integers(array.length)
      : array instanceof Float32Array ? this.floats(array.length) : this.doubles(array.length);
    copy.set(array);
    return copy as Numbers;
  }

  /** Whether an array is in this memory. An array received in a message has a different buffer object on the same memory. */
  private holds(array: ArrayBufferView): boolean {
    if (!(array.buffer instanceof SharedArrayBuffer) || array.buffer.byteLength < unitBytes) return false;
    const [, mark, number] = new Int32Array(array.buffer, 0, 3);
    return mark === signature && number === this.used[2];
  }

  /** Current allocation state, for `release`. */
  mark(): number {
    return Atomics.load(this.used, 0);
  }

  /** Bytes that can be allocated without growing the memory. */
  get idleBytes(): number {
    return this.memory.buffer.byteLength - this.mark() * unitBytes;
  }

  /** Frees all arrays allocated since the mark. No thread may be using these arrays. */
  release(mark: number): void {
    Atomics.store(this.used, 0, mark);
  }

  /** Frees all arrays. */
  clear(): void {
    this.release(firstUnit);
  }

  /** Frees all arrays allocated after the given array. */
  releaseAfter(array: ArrayBufferView): void {
    this.release(Math.ceil((array.byteOffset + array.byteLength) / unitBytes));
  }

  /** Allocates bytes of zeros and returns their offset. Growing the memory can replace `buffer`. */
  private take(bytes: number): number {
    const units = Math.ceil(bytes / unitBytes);
    const first = Atomics.add(this.used, 0, units);
    const end = (first + units) * unitBytes;
    if (end > maxPages * pageBytes) {
      Atomics.sub(this.used, 0, units);
      throw new RangeError(`the 4 GB of the kernels' memory are exceeded by ${end - maxPages * pageBytes} bytes`);
    }
    while (this.memory.buffer.byteLength < end + readBehindBytes) {
      const missing = Math.ceil((end + readBehindBytes - this.memory.buffer.byteLength) / pageBytes);
      try {
        this.memory.grow(missing);
      } catch (error) {
        Atomics.sub(this.used, 0, units);
        throw new RangeError(`the kernels' memory cannot grow by ${bytes} bytes, it has ${this.memory.buffer.byteLength}`, { cause: error });
      }
    }
    if (this.buffer.byteLength < end) {
      this.buffer = this.memory.buffer;
      owners.set(this.buffer, this);
    }
    new Uint8Array(this.buffer, first * unitBytes, bytes).fill(0);
    return first * unitBytes;
  }
}

let idle: Workspace | null = null;

/** Returns a workspace that was given back, or a new one. */
export function takeWorkspace(): Workspace {
  const taken = idle ?? new Workspace();
  idle = null;
  return taken;
}

/**
 * The workspace to use for a setting: all pairs take enough products to use the kernels on data of any size, other settings
 * leave the decision to `toInteractions` (undefined).
 */
export function workspaceFor(setting: { allPairs?: boolean }): Workspace | undefined {
  return setting.allPairs === true ? takeWorkspace() : undefined;
}

/**
 * Keeps a workspace for the next caller of `takeWorkspace`. The memory never shrinks, takes gigabytes for a million items,
 * and is needed by the stages of a training one after the other. The caller may not use any array of the workspace
 * afterwards.
 */
export function giveBackWorkspace(workspace: Workspace | null): void {
  workspace?.clear();
  idle = workspace ?? idle;
}
