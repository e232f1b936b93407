"use strict";
// The project's kernels in a worker (see try_worker.js): a task goes there, a promise of its result comes back.
// `shared/kernels.js` brings them as KERNELS.
class Machine {
  #worker = null;
  #module = null;
  #waiting = new Map();
  #count = 0;

  /** `told` is called with what stops the worker itself. */
  constructor(told) {
    this.told = told;
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  /** Begin anew: tasks that are under way end without an answer. */
  async start() {
    this.#module ??= await WebAssembly.compile(Uint8Array.from(atob(KERNELS.wasm), (letter) => letter.charCodeAt(0)));
    this.#worker?.terminate();
    for (const { reject } of this.#waiting.values()) reject(null);
    this.#waiting = new Map();
    const address = URL.createObjectURL(new Blob([Machine.text()], { type: "text/javascript" }));
    this.#worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.#worker.onmessage = ({ data }) => {
      const task = this.#waiting.get(data.id);
      if (!task) return;
      if (data.progress) { task.tell?.(data.progress); return; }
      this.#waiting.delete(data.id);
      if (data.error === undefined) task.resolve(data.result);
      else task.reject(Object.assign(new Error(data.error), { where: data.where }));
    };
    this.#worker.onerror = (event) => this.told(`The worker does not start: ${event.message}`);
    const { wasm: _, code: __, worker: ___, ...data } = KERNELS;
    return this.#post({ task: "start", data, module: this.#module });
  }

  /** Do a task with what is asked; `tell` hears how far it is. */
  send(task, asked, tell = null) {
    return this.#post({ task, asked }, tell);
  }

  #post(message, tell = null) {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, tell });
      this.#worker.postMessage({ id, ...message });
    });
  }

  /** The worker's text. What it looks up by name is written out, so that no page has to allow `eval`. */
  static text() {
    const each = Object.values(KERNELS.algorithms), parameters = each.flatMap((one) => one.parameters);
    const names = [...each.flatMap((one) => [one.simulate, one.tuning]), ...parameters.flatMap((one) => [one.largest, one.default])];
    const looked = [...new Set(names.filter(Boolean))].map((name) => `${JSON.stringify(name)}: () => (${name})`);
    return `${KERNELS.worker}\n${KERNELS.code}\nconst NAMED = {${looked.join(", ")}};`;
  }
}
