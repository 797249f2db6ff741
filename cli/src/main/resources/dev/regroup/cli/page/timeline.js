// The timeline of a run: one lane per worker, attempts as colours, restarts as what they cost. Drawn on a canvas, so that a
// thousand lanes with twenty restarts each stay fluid: only what is on the screen is drawn, once per frame at most.
import { band, clock, lanes, marks } from "./lanes.js";

const LANE = 18; // pixels of a lane, when there is room
const THIN = 3; // of a lane, when there are many
const PLENTY = 480; // pixels for all lanes
const AXIS = 26;
const BAND = 16; // the band of goodput below the axis
const LABEL = 150; // for the names, where lanes have some
const FEW = 62; // where they have none
const NARROW = 560; // a chart of so many pixels gives the names less room
const MARGIN = 22; // at the right, for the last label of the axis
const NAMED = 10; // pixels of a lane that has room for its name
const MOST_NAMED = 64; // lanes that are high enough for their names
const FONT = 12; // pixels of a letter
const MARK = 7; // pixels of a mark
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

/** A chart on a canvas. Wheel zooms, dragging and arrow keys move, + - 0 zoom and show all, n p and m M go from one to the next. */
export class Timeline {
  constructor(canvas, report, tell) {
    this.canvas = canvas;
    this.report = report;
    this.tell = tell; // is told what the pointer or the keyboard is on, or null
    this.lanes = lanes(report);
    this.band = band(report);
    this.marks = marks(report);
    this.length = Math.max(report.seconds, 0.001);
    this.view = { from: 0, to: this.length, top: 0 };
    this.chosen = -1; // index of a restart, by keyboard
    this.marked = undefined; // a mark, by keyboard
    this.frame = 0;
    this.label = LABEL;
    this.picked = undefined; // is told the lane that was clicked
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.drop(event));
    canvas.addEventListener("pointerleave", () => this.tell(null));
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    this.recolour();
    this.resize();
  }

  recolour() {
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    this.colours = {
      text: colour("text"),
      faint: colour("faint"),
      line: colour("line"),
      down: colour("down"),
      barrier: colour("barrier"),
      starting: colour("starting"),
      redoing: colour("redoing"),
      useful: colour("useful"),
      culprit: colour("culprit"),
      attempts: [0, 1, 2, 3, 4, 5].map((n) => colour("attempt-" + n)),
    };
    this.draw();
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const box = this.canvas.getBoundingClientRect();
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    this.ratio = ratio;
    const room = this.height - AXIS - BAND - 8;
    this.lane = Math.max(THIN, Math.min(LANE, Math.floor(room / Math.max(1, this.lanes.length))));
    this.label = this.lane < NAMED ? FEW : this.width < NARROW ? LABEL / 1.5 : LABEL;
    this.draw();
  }

  /** Another report of the same run; what is looked at stays, and all if it was all. */
  update(report) {
    const all = this.view.from === 0 && this.view.to === this.length;
    this.report = report;
    this.lanes = lanes(report);
    this.band = band(report);
    this.marks = marks(report);
    this.length = Math.max(report.seconds, 0.001);
    if (all) {
      this.view.to = this.length;
    }
    this.view.to = Math.min(this.view.to, this.length);
    this.view.from = Math.max(0, Math.min(this.view.from, this.view.to - 0.001));
    this.resize();
  }

  /** Time went on and nothing else happened. */
  grow(seconds) {
    const before = this.length;
    if (seconds <= before) {
      return;
    }
    const all = this.view.from === 0 && this.view.to === before;
    this.length = seconds;
    this.report.seconds = seconds;
    for (const lane of this.lanes) {
      const last = lane.runs.at(-1);
      if (last !== undefined && last.to >= before) {
        last.to = seconds;
      }
    }
    const piece = this.band.at(-1);
    if (piece !== undefined) {
      piece.to = seconds;
    }
    if (all) {
      this.view.to = seconds;
    }
    this.draw();
  }

  /** Other events about the same run: the rest stays as it is. */
  tellEvents(events) {
    this.report.events = events;
    this.marks = marks(this.report);
    this.draw();
  }

  /** The height at which every lane is seen; many are made thinner before the chart grows. */
  wanted() {
    const count = this.lanes.length;
    const named = count <= MOST_NAMED ? count * NAMED : 0;
    return AXIS + BAND + 8 + Math.min(count * LANE, Math.max(count * THIN, PLENTY, named));
  }

  draw() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  /** Pixels for the time. */
  room() {
    return Math.max(1, this.width - this.label - MARGIN);
  }

  x(seconds) {
    return this.label + ((seconds - this.view.from) / (this.view.to - this.view.from)) * this.room();
  }

  seconds(x) {
    return this.view.from + ((x - this.label) / this.room()) * (this.view.to - this.view.from);
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = FONT + "px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.paintAxis(pen);
    this.paintBand(pen);
    this.paintMarks(pen);
    const top = AXIS + BAND + 8;
    const first = Math.max(0, Math.floor(this.view.top / this.lane));
    const last = Math.min(this.lanes.length, Math.ceil((this.view.top + this.height - top) / this.lane));
    pen.save();
    pen.beginPath();
    pen.rect(0, top, this.width, this.height - top);
    pen.clip();
    for (let i = first; i < last; i++) {
      this.paintLane(pen, this.lanes[i], top + i * this.lane - this.view.top);
    }
    for (let i = first; i < last; i++) {
      this.paintCulprits(pen, this.lanes[i], top + (i + 0.5) * this.lane - this.view.top);
    }
    pen.restore();
    this.paintChoice(pen);
    this.paintMarked(pen);
  }

  paintAxis(pen) {
    const span = this.view.to - this.view.from;
    const step = STEPS.find((one) => (one / span) * this.room() > 70) ?? STEPS.at(-1);
    pen.fillStyle = this.colours.faint;
    pen.strokeStyle = this.colours.line;
    pen.textAlign = "center";
    pen.beginPath();
    for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.moveTo(x, AXIS - 6);
      pen.lineTo(x, this.height);
      pen.fillText(clock(at, step < 0.1 ? 2 : step < 1 ? 1 : 0), x, AXIS / 2);
    }
    pen.stroke();
    pen.textAlign = "left";
    pen.fillText("goodput", 4, AXIS + BAND / 2);
  }

  paintBand(pen) {
    for (const piece of this.band) {
      this.bar(pen, piece.from, piece.to, AXIS, BAND, this.colours[piece.kind]);
    }
  }

  /** Notes and warnings point down from the axis, checkpoints up from the band; of those on one spot one is drawn. */
  paintMarks(pen) {
    const colours = { note: this.colours.faint, warning: this.colours.down, checkpoint: this.colours.text };
    for (const kind of ["note", "warning", "checkpoint"]) {
      pen.fillStyle = colours[kind];
      let last = -MARK;
      for (const mark of this.marks) {
        const x = this.x(mark.at);
        if (mark.kind !== kind || x < this.label || x > this.width - MARGIN || x - last < MARK / 2) {
          continue;
        }
        last = x;
        const tip = kind === "checkpoint" ? AXIS + BAND - MARK - 2 : AXIS - 1;
        const foot = kind === "checkpoint" ? AXIS + BAND - 1 : tip - MARK;
        pen.beginPath();
        pen.moveTo(x, tip);
        pen.lineTo(x - MARK / 2, foot);
        pen.lineTo(x + MARK / 2, foot);
        pen.fill();
      }
    }
  }

  paintLane(pen, lane, y) {
    const gap = this.lane >= 8 ? 2 : 0;
    const height = this.lane - gap;
    const colours = this.colours;
    for (const run of lane.runs) {
      this.bar(pen, run.from, run.to, y, height, colours.attempts[((run.attempt % 6) + 6) % 6]);
    }
    for (const stop of lane.stops) {
      this.bar(pen, stop.from, stop.to, y, height, colours.down);
      if (stop.barrier !== undefined && stop.lifted !== undefined) {
        this.bar(pen, stop.barrier, stop.lifted, y, height, colours.barrier);
      }
      if (stop.to > stop.running) {
        this.bar(pen, stop.running, stop.to, y, height, colours.starting);
      }
    }
    if (this.lane >= NAMED) {
      pen.font = Math.min(FONT, this.lane - 1) + "px system-ui, sans-serif"; // names of low lanes stay apart
      pen.fillStyle = colours.text;
      pen.fillText(short(lane.name, Math.floor(this.label / 6.8)), 4, y + height / 2);
    }
  }

  /** On top of all lanes, so that thin ones show them whole. */
  paintCulprits(pen, lane, y) {
    pen.fillStyle = this.colours.culprit;
    for (const stop of lane.stops) {
      const x = this.x(stop.from);
      if (stop.role === "culprit" && x >= this.label && x <= this.width - MARGIN) {
        pen.beginPath();
        pen.arc(x, y, Math.max(4, Math.min(6, this.lane / 2 - 1)), 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }

  bar(pen, from, to, y, height, colour) {
    if (to < this.view.from || from > this.view.to) {
      return;
    }
    const left = Math.max(this.label, this.x(from));
    const right = Math.min(this.width - MARGIN, this.x(to));
    pen.fillStyle = colour;
    pen.fillRect(left, y, Math.max(1, right - left), height);
  }

  /** A line through all lanes where the chosen mark stands. */
  paintMarked(pen) {
    const x = this.marked === undefined ? -1 : this.x(this.marked.at);
    if (x >= this.label && x <= this.width - MARGIN) {
      pen.fillStyle = this.colours.text;
      pen.fillRect(Math.round(x), AXIS - MARK, 1, this.height);
    }
  }

  paintChoice(pen) {
    const restart = this.report.restarts?.[this.chosen];
    if (restart === undefined) {
      return;
    }
    const zero = Date.parse(this.report.began);
    const from = this.x((Date.parse(restart.began) - zero) / 1000);
    const to = this.x(restart.works === undefined ? this.length : (Date.parse(restart.works) - zero) / 1000);
    pen.strokeStyle = this.colours.text;
    pen.setLineDash([4, 3]);
    pen.strokeRect(Math.max(this.label, from) - 2, AXIS - 4, Math.max(4, to - from + 4), this.height - AXIS);
    pen.setLineDash([]);
  }

  /** Shows this stretch, as far as there is something to see. */
  show(from, to) {
    const least = Math.min(0.05, this.length);
    const span = Math.max(least, Math.min(this.length, to - from));
    const begin = Math.max(0, Math.min(this.length - span, from));
    this.view.from = begin;
    this.view.to = begin + span;
    this.draw();
  }

  zoom(factor, around = (this.view.from + this.view.to) / 2) {
    this.show(around - (around - this.view.from) * factor, around + (this.view.to - around) * factor);
  }

  scroll(pixels) {
    const room = this.height - AXIS - BAND - 8;
    const most = Math.max(0, this.lanes.length * this.lane - room);
    const top = Math.max(0, Math.min(most, this.view.top + pixels));
    const moved = top !== this.view.top;
    this.view.top = top;
    this.draw();
    return moved;
  }

  /** Restart number i, with a little around it. */
  choose(i) {
    const restarts = this.report.restarts ?? [];
    if (restarts.length === 0) {
      return;
    }
    this.chosen = Math.max(0, Math.min(restarts.length - 1, i));
    this.marked = undefined;
    const restart = restarts[this.chosen];
    const from = (Date.parse(restart.began) - Date.parse(this.report.began)) / 1000;
    const cost = Math.max(0.2, restart.downSeconds ?? 1);
    this.show(from - cost * 2, from + cost * 4);
    this.tell({ restart });
  }

  /** The mark so many places further; the first one on the screen to begin with. */
  chooseMark(by) {
    const { from, to } = this.view;
    const same = (mark) => mark.at === this.marked.at && mark.text === this.marked.text;
    const wanted = this.marked === undefined ? this.marks.findIndex(({ at }) => at >= from) : this.marks.findIndex(same) + by;
    this.marked = this.marks[Math.max(0, Math.min(this.marks.length - 1, wanted))];
    if (this.marked === undefined) {
      return;
    }
    if (this.marked.at < from || this.marked.at > to) {
      this.show(this.marked.at - (to - from) / 2, this.marked.at + (to - from) / 2);
    }
    this.draw();
    this.tell({ marks: [this.marked] });
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey || !event.shiftKey) {
      if (!event.ctrlKey && !event.metaKey && this.scroll(event.deltaY)) {
        event.preventDefault();
        return;
      }
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.seconds(this.place(event).x));
    } else {
      event.preventDefault();
      const by = ((this.view.to - this.view.from) * (event.deltaX || event.deltaY)) / 800;
      this.show(this.view.from + by, this.view.to + by);
    }
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  grab(event) {
    this.held = { ...this.place(event), from: this.view.from, to: this.view.to };
    this.canvas.setPointerCapture(event.pointerId);
  }

  drop(event) {
    const { x, y } = this.place(event);
    if (this.held !== undefined && Math.abs(this.held.x - x) < 3 && this.picked !== undefined) {
      const hit = this.under(x, y);
      if (hit?.lane !== undefined) {
        this.picked(hit.lane);
      }
    }
    this.held = undefined;
  }

  move(event) {
    const { x, y } = this.place(event);
    if (this.held !== undefined && event.buttons !== 0) {
      const by = ((this.held.x - x) / this.room()) * (this.held.to - this.held.from);
      this.show(this.held.from + by, this.held.to + by);
      return;
    }
    this.tell(this.under(x, y));
  }

  /** What is at this point: marks above the lanes, or a stop or a run of a lane. */
  under(x, y) {
    if (y < AXIS + BAND + 8) {
      const near = this.marks.filter((mark) => Math.abs(this.x(mark.at) - x) <= MARK);
      return near.length === 0 ? null : { marks: near };
    }
    const index = Math.floor((y - AXIS - BAND - 8 + this.view.top) / this.lane);
    const lane = this.lanes[index];
    if (lane === undefined) {
      return null;
    }
    const at = this.seconds(x);
    const slack = (2 * (this.view.to - this.view.from)) / this.room();
    const stop = lane.stops.find((one) => at >= one.from - slack && at <= one.to + slack);
    const run = lane.runs.find((one) => at >= one.from && at <= one.to);
    return { lane, at, stop, run, restart: stop?.restart };
  }

  key(event) {
    const span = this.view.to - this.view.from;
    const keys = {
      ArrowLeft: () => this.show(this.view.from - span / 5, this.view.to - span / 5),
      ArrowRight: () => this.show(this.view.from + span / 5, this.view.to + span / 5),
      ArrowUp: () => this.scroll(-3 * this.lane),
      ArrowDown: () => this.scroll(3 * this.lane),
      PageUp: () => this.scroll(-this.height / 2),
      PageDown: () => this.scroll(this.height / 2),
      "+": () => this.zoom(0.7),
      "=": () => this.zoom(0.7),
      "-": () => this.zoom(1.4),
      0: () => {
        this.chosen = -1;
        this.marked = undefined;
        this.show(0, this.length);
        this.tell(null);
      },
      n: () => this.choose(this.chosen + 1),
      p: () => this.choose(this.chosen - 1),
      m: () => this.chooseMark(1),
      M: () => this.chooseMark(-1),
    };
    if (keys[event.key] !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}

/** The end of a long name says more than its beginning. */
function short(name, most) {
  return name.length <= most ? name : "…" + name.slice(name.length - most + 1);
}
