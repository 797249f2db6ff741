// The workers of a JobSet, a cell each, on a canvas: a thousand of them cost one frame. Colour and shape say how a worker is,
// so that no colour has to be told from another.

const GAP = 3;
const SIZES = [
  { most: 24, size: 34 },
  { most: 96, size: 24 },
  { most: 400, size: 15 },
  { most: Infinity, size: 10 },
];

/** How workers are, in the order they are counted, with the words of the terminal. */
export const SIGNS = {
  running: { words: "running", symbol: "●", colour: "useful" },
  starting: { words: "starting", symbol: "◐", colour: "starting" },
  "at-barrier": { words: "at the barrier", symbol: "◌", colour: "barrier" },
  stopping: { words: "being stopped", symbol: "↺", colour: "down" },
  culprit: { words: "failed", symbol: "✗", colour: "culprit" },
  unschedulable: { words: "cannot be scheduled", symbol: "!", colour: "redoing" },
  done: { words: "done", symbol: "✓", colour: "done" },
};

export class Cells {
  /** Tells {@code chosen(worker)} whom somebody chose, and {@code told(worker)} whom the pointer is on. */
  constructor(canvas, chosen, told) {
    this.canvas = canvas;
    this.chosen = chosen;
    this.told = told;
    this.workers = [];
    this.at = -1;
    this.frame = 0;
    canvas.addEventListener("pointermove", (event) => this.told(this.workers[this.under(event)]));
    canvas.addEventListener("pointerleave", () => this.told(undefined));
    canvas.addEventListener("click", (event) => this.choose(this.under(event)));
    canvas.addEventListener("dblclick", (event) => this.choose(this.under(event), true));
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    this.recolour();
  }

  recolour() {
    const style = getComputedStyle(this.canvas);
    this.colour = (name) => style.getPropertyValue("--" + name).trim();
    this.colours = Object.fromEntries(Object.entries(SIGNS).map(([sign, { colour }]) => [sign, this.colour(colour)]));
    this.text = this.colour("text");
    this.paper = this.colour("paper");
    this.draw();
  }

  /** All workers, in their order. */
  show(workers) {
    const pod = this.workers[this.at]?.pod;
    this.workers = workers;
    this.at = workers.findIndex((worker) => worker.pod === pod);
    this.draw();
  }

  draw() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  layout() {
    const size = SIZES.find(({ most }) => this.workers.length <= most).size;
    const width = this.canvas.parentElement.clientWidth;
    const columns = Math.max(1, Math.floor((width + GAP) / (size + GAP)));
    const rows = Math.max(1, Math.ceil(this.workers.length / columns));
    return { size, columns, rows, width, height: rows * (size + GAP) + 2 };
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    const { size, columns, width, height } = (this.place = this.layout());
    const wanted = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    if (this.canvas.width !== wanted.width || this.canvas.height !== wanted.height) {
      Object.assign(this.canvas, wanted);
      this.canvas.style.height = height + "px";
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.workers.forEach((worker, i) => {
      const x = (i % columns) * (size + GAP) + 1;
      const y = Math.floor(i / columns) * (size + GAP) + 1;
      this.cell(pen, worker, x, y, size);
      if (i === this.at) {
        pen.strokeStyle = this.text;
        pen.lineWidth = 2;
        pen.strokeRect(x, y, size, size);
      }
    });
  }

  cell(pen, worker, x, y, size) {
    const colour = this.colours[worker.sign] ?? this.text;
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    const hollow = worker.sign === "at-barrier" || worker.sign === "done";
    if (hollow) {
      pen.lineWidth = size > 12 ? 2 : 1.5;
      pen.strokeRect(x + 1, y + 1, size - 2, size - 2);
    } else if (worker.sign === "starting") {
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
      pen.fillRect(x, y, size / 2, size);
    } else {
      pen.fillRect(x, y, size, size);
    }
    if (worker.sign === "culprit" || worker.sign === "stopping") {
      pen.strokeStyle = this.paper;
      pen.lineWidth = size > 12 ? 2 : 1.5;
      pen.beginPath();
      const near = size * 0.25;
      if (worker.sign === "culprit") {
        pen.moveTo(x + near, y + near);
        pen.lineTo(x + size - near, y + size - near);
        pen.moveTo(x + size - near, y + near);
        pen.lineTo(x + near, y + size - near);
      } else {
        pen.moveTo(x + near, y + size / 2);
        pen.lineTo(x + size - near, y + size / 2);
      }
      pen.stroke();
    } else if (size >= 24) {
      pen.fillStyle = hollow || worker.sign === "starting" ? this.text : this.paper;
      pen.font = (size >= 30 ? 13 : 11) + "px system-ui, sans-serif";
      pen.fillText(worker.sign === "unschedulable" ? "!" : worker.sign === "done" ? "✓" : String(worker.number), x + size / 2, y + size / 2 + 1);
    }
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const { size, columns } = this.place ?? this.layout();
    const column = Math.floor((event.clientX - box.left) / (size + GAP));
    const i = Math.floor((event.clientY - box.top) / (size + GAP)) * columns + column;
    return column < columns && i >= 0 && i < this.workers.length ? i : -1;
  }

  /** Also by its pod, from elsewhere. */
  chooseThe(pod) {
    this.choose(this.workers.findIndex((worker) => worker.pod === pod));
  }

  choose(i, open = false) {
    if (i < 0 || i >= this.workers.length) {
      return;
    }
    this.at = i;
    this.draw();
    this.chosen(this.workers[i], open);
  }

  key(event) {
    const columns = (this.place ?? this.layout()).columns;
    const last = this.workers.length - 1;
    const to = {
      ArrowLeft: this.at - 1,
      ArrowRight: this.at + 1,
      ArrowUp: this.at - columns,
      ArrowDown: this.at < 0 ? 0 : this.at + columns,
      Home: 0,
      End: last,
      Enter: this.at,
    }[event.key];
    if (to !== undefined && last >= 0 && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.choose(Math.max(0, Math.min(last, to)), event.key === "Enter");
    }
  }
}
