// Digests of functions that are called with the arguments that a comparison has; the loader is put before this text.

/** Return an argument in the memory of the functions, and add its arrays to a list. */
function handed(value, arrays) {
  if (value?.fields) {
    return Object.fromEntries(Object.entries(value.fields).map(([name, each]) => [name, handed(each, arrays)]));
  }
  if (!value?.kind) return value;
  const made = new Numbers(value.kind, value.shape);
  const content = Uint8Array.from(atob(value.content), (byte) => byte.charCodeAt(0));
  new Uint8Array(wasm.memory.buffer, made.address, made.bytes).set(content);
  arrays.push(made);
  return made;
}

/** Return the digest of each function, by name. */
async function digests(kernels) {
  await load(Uint8Array.from(atob(kernels.wasm), (byte) => byte.charCodeAt(0)), kernels.entries);
  const found = {};
  for (const [name, given] of Object.entries(kernels.arguments)) {
    if (!entries[name]) continue;
    const arrays = [], values = given.map((value) => handed(value, arrays));
    const result = kernel(name, values, kernels.shapes[name] ?? null), kind = entries[name].result;
    if (kind === "array") arrays.unshift(result);
    if (kind === "float") arrays.unshift(new Numbers("float64", [1]).fill([result]));
    if (kind === "int") arrays.unshift(new Numbers("int64", [1]).fill([result]));
    const all = new Numbers("bool", [arrays.reduce((sum, each) => sum + each.bytes, 0)]);
    let at = 0;
    for (const each of arrays) {
      all.view.set(new Uint8Array(wasm.memory.buffer, each.address, each.bytes), at);
      at += each.bytes;
    }
    found[name] = sha256(all.address, all.bytes);
    clear();
  }
  return found;
}

/** Show in a page which functions return the native bytes, and their digests. */
async function show({ kernels, native }) {
  const same = document.getElementById("same"), all = document.getElementById("digests");
  try {
    const found = await digests(kernels);
    same.textContent = Object.entries(native)
      .map(([name, digest]) => `${name}: ${found[name] === digest ? "same" : kernels.refused[name] ?? "DIFFERENT"}`).join("; ");
    all.textContent = JSON.stringify(found);
  } catch (fault) {
    same.textContent = fault;
    all.remove();
  }
}

/** Print the digests, in Node. */
async function main() {
  const text = require("node:fs").readFileSync(process.argv[2], "utf8");
  console.log(JSON.stringify(await digests(JSON.parse(text))));
}
