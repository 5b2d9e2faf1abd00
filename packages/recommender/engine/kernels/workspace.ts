import { instantiateKernels, type KernelFunctions } from './kernelModule.ts';

const pageBytes = 65_536;
const maxPages = 65_536;
/** Arrays begin at multiples of a cache line, which is also the unit of the allocation counter. */
const unitBytes = 64;

/** Kernels may read a vector that only begins inside of an array. */
const readBehindBytes = 16;

/** Behind the counter and the signature. */
const firstUnit = 1;

/** The workspace of each buffer that its arrays can have. */
const owners = new WeakMap<ArrayBufferLike, Workspace>();

/** The workspace that an array lies in; null for ordinary arrays. */
export function workspaceOf(array: ArrayBufferView): Workspace | null {
  return owners.get(array.buffer) ?? null;
}

/** Second word of every workspace's memory; the third word is the number of the workspace. Threads identify the memory by both. */
const signature = 0x766b6e6c;
let workspaces = 0;

/**
 * Shared memory that kernels work on, of up to 4 GB, and the arrays in it. Its first bytes hold the counter of what is
 * used, so that all threads that have the memory can take arrays from it.
 */
export class Workspace {
  readonly memory: WebAssembly.Memory;
  readonly call: KernelFunctions;
  private buffer: SharedArrayBuffer;
  /** Units used so far, the signature and the number. */
  private readonly used: Int32Array;

  /** @param memory that of another thread's workspace; without, one of its own */
  constructor(memory?: WebAssembly.Memory) {
    this.memory = memory ?? new WebAssembly.Memory({ initial: 1, maximum: maxPages, shared: true });
    this.call = instantiateKernels(this.memory);
    this.buffer = this.memory.buffer;
    owners.set(this.buffer, this);
    this.used = new Int32Array(this.buffer, 0, 3);
    if (memory === undefined) this.used.set([firstUnit, signature, ++workspaces]);
  }

  /** Arrays of zeros. @throws RangeError where 4 GB or the machine's memory do not suffice */
  floats(length: number): Float32Array {
    const offset = this.take(length * 4);
    return new Float32Array(this.buffer, offset, length);
  }

  integers(length: number): Int32Array {
    const offset = this.take(length * 4);
    return new Int32Array(this.buffer, offset, length);
  }

  shorts(length: number): Int16Array {
    const offset = this.take(length * 2);
    return new Int16Array(this.buffer, offset, length);
  }

  doubles(length: number): Float64Array {
    const offset = this.take(length * 8);
    return new Float64Array(this.buffer, offset, length);
  }

  /** A copy of an array in this memory, or the array itself where it lies here already. */
  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers {
    if (this.holds(array)) return array;
    const copy = array instanceof Int32Array
      ? this.integers(array.length)
      : array instanceof Float32Array ? this.floats(array.length) : this.doubles(array.length);
    copy.set(array);
    return copy as Numbers;
  }

  /** Whether an array lies here. One that came in a message has another buffer object on the same memory. */
  private holds(array: ArrayBufferView): boolean {
    if (!(array.buffer instanceof SharedArrayBuffer) || array.buffer.byteLength < unitBytes) return false;
    const [, mark, number] = new Int32Array(array.buffer, 0, 3);
    return mark === signature && number === this.used[2];
  }

  /** What is used now, for `release`. */
  mark(): number {
    return Atomics.load(this.used, 0);
  }

  /** What could be taken without growing. */
  get idleBytes(): number {
    return this.memory.buffer.byteLength - this.mark() * unitBytes;
  }

  /** Gives up all arrays taken since the mark; no thread may be using them. */
  release(mark: number): void {
    Atomics.store(this.used, 0, mark);
  }

  /** Gives up everything. */
  clear(): void {
    this.release(firstUnit);
  }

  /** Gives up everything behind an array. */
  releaseAfter(array: ArrayBufferView): void {
    this.release(Math.ceil((array.byteOffset + array.byteLength) / unitBytes));
  }

  /** Finds room for so many bytes of zeros, which may move `buffer`, and returns its offset. */
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

/** A workspace that was given back, or a new one. */
export function takeWorkspace(): Workspace {
  const taken = idle ?? new Workspace();
  idle = null;
  return taken;
}

/**
 * Keeps a workspace for the next caller of `takeWorkspace`: its memory, which never shrinks, is gigabytes for a million items, and the stages
 * of a training need it one after the other. No array of it may be used any more.
 */
export function giveBackWorkspace(workspace: Workspace | null): void {
  workspace?.clear();
  idle = workspace ?? idle;
}
