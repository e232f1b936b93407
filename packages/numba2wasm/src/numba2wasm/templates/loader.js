"use strict";
// Loader of a file that numba2wasm made: arrays in the memory of its functions, and calls of these.

let wasm, entries;
const BYTES = { float64: 8, int64: 8, uint64: 8, int16: 2, bool: 1 };
const VIEWS = { float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array, int16: Int16Array, bool: Uint8Array };
let taken = [];

/** An array in the memory of the functions. */
class Numbers {
  constructor(kind, shape, address = null) {
    this.kind = kind;
    this.shape = shape;
    this.size = shape.reduce((product, length) => product * length, 1);
    this.bytes = this.size * BYTES[kind];
    this.address = address ?? take(this.bytes);
  }
  /** The numbers. Memory that grows leaves older views empty: it is asked for anew each time. */
  get view() {
    return new VIEWS[this.kind](wasm.memory.buffer, this.address, this.size);
  }
  fill(values) {
    const whole = this.kind === "int64" || this.kind === "uint64";
    this.view.set(whole ? values.map(BigInt) : values);
    return this;
  }
  /** Some rows of it. */
  rows(first, last) {
    const row = this.bytes / Math.max(1, this.shape[0]);
    return new Numbers(this.kind, [last - first, ...this.shape.slice(1)], this.address + first * row);
  }
}

function take(bytes) {
  const address = Number(wasm.take(BigInt(bytes)));
  if (!address) throw new Error(`not enough memory for ${bytes} bytes`);
  taken.push([address, bytes]);
  return address;
}

/** Give all arrays back. */
function clear() {
  for (const [address, bytes] of taken) wasm.give(BigInt(address), BigInt(bytes));
  taken = [];
}

const zeros = (kind, ...shape) => {
  const made = new Numbers(kind, shape);
  new Uint8Array(wasm.memory.buffer, made.address, made.bytes).fill(0);
  return made;
};
const floats = (values, ...shape) => new Numbers("float64", shape.length ? shape : [values.length]).fill(values);
const whole = (values) => new Numbers("int64", [values.length]).fill(values);

/** Call a function; of one that returns an array the shape has to be said. */
function kernel(name, given, shape = null) {
  const entry = entries[name];
  const passed = [];
  for (const [[first, ...rest], kind, dimensions] of entry.slots) {
    const value = rest.reduce((record, field) => record[field], given[first]);
    if (dimensions) passed.push(BigInt(value.address), ...value.shape.map(BigInt));
    else if (kind === "float") passed.push(value);
    else passed.push(kind === "bool" ? BigInt(Boolean(value)) : BigInt(value));
  }
  const result = entry.result === "array" ? new Numbers("float64", shape) : null;
  if (result) passed.push(BigInt(result.address), ...shape.map(BigInt));
  const returned = wasm[name](...passed);
  return result ?? (entry.result === "none" ? undefined : Number(returned));
}

/** Load a file's bytes, or a compiled module, with what is said of its functions. */
async function load(module, described) {
  const made = await WebAssembly.instantiate(module, {});
  wasm = (made.instance ?? made).exports;
  entries = described;
}

/** The SHA-256 of so many bytes of the memory, as hexadecimal text. */
function sha256(address, bytes) {
  const place = take(32);
  wasm.sha256(BigInt(address), BigInt(bytes), BigInt(place));
  return Array.from(new Uint8Array(wasm.memory.buffer, place, 32), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
