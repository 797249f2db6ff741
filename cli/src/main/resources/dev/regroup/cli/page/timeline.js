// The timeline of a run: one lane per worker, attempts as colours, restarts as what they cost. Drawn on a canvas, so that a
// thousand lanes with twenty restarts each stay fluid: only what is on the screen is drawn, once per frame at most.

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
const MARK = 7; // pixels of a mark
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

/** Seconds as people read them: 0.25s, 12.4s, 3:05, 2:03:05. */
export function clock(seconds, fine = 2) {
  if (Math.abs(seconds) < 60) {
    return seconds.toFixed(seconds >= 10 ? Math.min(fine, 1) : fine) + "s";
  }
  const whole = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? hours + ":" + two(minutes) + ":" + two(whole % 60) : minutes + ":" + two(whole % 60);
}

/**
 * Lanes and marks of a report, in seconds since it began. A pure function of report.json.
 *
 * Each lane is {name, pod, runs: [{from, to, attempt}], stops: [{from, to, role, restart, stages}]}.
 */
export function lanes(report) {
  const zero = Date.parse(report.began);
  const at = (time) => (time === undefined ? undefined : (Date.parse(time) - zero) / 1000);
  const end = report.seconds;
  const known = new Map();
  for (const worker of report.workers ?? []) {
    known.set(worker.pod, {
      name: worker.worker ?? worker.pod,
      pod: worker.pod,
      rank: worker.rank ?? Number.MAX_SAFE_INTEGER,
      begins: at(worker.started) ?? 0,
      worker,
      runs: [],
      stops: [],
    });
  }
  for (const restart of report.restarts ?? []) {
    const whole = { from: at(restart.began), to: at(restart.works) ?? end };
    for (const pod of restart.pods ?? []) {
      const lane = known.get(pod.pod);
      if (lane === undefined) {
        continue;
      }
      const moments = pod.moments ?? {};
      const begin = at(moments.exitSeen ?? moments.noticed) ?? whole.from;
      const running = at(moments.running) ?? whole.to;
      const output = Math.max(running, at(moments.firstOutput) ?? running);
      lane.stops.push({
        from: pod.role === "replacement" ? Math.max(begin, lane.begins) : begin,
        to: output,
        stopped: at(moments.stopped),
        barrier: at(moments.atBarrier),
        lifted: at(moments.lifted),
        running,
        role: pod.role,
        restart,
        pod,
      });
    }
  }
  const all = [...known.values()].sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const lane of all) {
    lane.stops.sort((a, b) => a.from - b.from);
    let from = lane.begins;
    for (const stop of lane.stops) {
      if (stop.from > from) {
        lane.runs.push({ from, to: stop.from, attempt: (stop.restart.attempt ?? 1) - 1 });
      }
      from = Math.max(from, stop.to);
    }
    const last = lane.stops.at(-1);
    if (end > from) {
      lane.runs.push({ from, to: end, attempt: lane.worker.attempt ?? last?.restart.attempt ?? 0 });
    }
  }
  return all;
}

/** What the whole group did, one piece after another: starting, useful, down, redoing. */
export function band(report) {
  const zero = Date.parse(report.began);
  const at = (time) => (Date.parse(time) - zero) / 1000;
  const pieces = [];
  let from = report.goodput?.startingSeconds ?? 0;
  if (from > 0) {
    pieces.push({ kind: "starting", from: 0, to: from });
  }
  for (const restart of report.restarts ?? []) {
    const began = Math.max(from, at(restart.began));
    const works = Math.max(began, restart.works === undefined ? report.seconds : at(restart.works));
    const back = Math.max(works, restart.back === undefined ? works : at(restart.back));
    pieces.push({ kind: "useful", from, to: began });
    pieces.push({ kind: "down", from: began, to: works });
    pieces.push({ kind: "redoing", from: works, to: back });
    from = back;
  }
  pieces.push({ kind: "useful", from, to: Math.max(from, report.seconds) });
  return pieces.filter((piece) => piece.to > piece.from);
}

/**
 * What is worth a mark above the lanes, in seconds since the report began, in order: {at, kind, text} with the kinds note
 * (what happened, or an event), warning (an event of that type) and checkpoint (where the group went on).
 */
export function marks(report) {
  const zero = Date.parse(report.began);
  const at = (time) => (Date.parse(time) - zero) / 1000;
  const all = (report.story ?? []).map((line) => ({ at: line.seconds, kind: "note", text: line.text }));
  for (const event of report.events ?? []) {
    const kind = event.type === "Warning" ? "warning" : "note";
    all.push({ at: at(event.at), kind, text: event.reason + " " + event.name + ": " + event.text });
  }
  for (const restart of report.restarts ?? []) {
    if (restart.resumedStep !== undefined && restart.works !== undefined) {
      const twice = restart.redoneSteps ? ", " + restart.redoneSteps + " steps of " + restart.reachedStep + " done twice" : "";
      const how = restart.resumedStep > 1 ? "went on from the checkpoint, at step " : "began again, at step ";
      all.push({ at: at(restart.works), kind: "checkpoint", text: how + restart.resumedStep + twice });
    }
  }
  return all.filter((mark) => mark.at >= 0 && mark.at <= report.seconds).sort((a, b) => a.at - b.at);
}

/** A chart on a canvas. Wheel zooms, dragging and arrow keys move, + - 0 zoom and show all. */
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
    pen.font = "12px system-ui, sans-serif";
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
        pen.arc(x, y, Math.max(4, this.lane / 2 - 1), 0, 2 * Math.PI);
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
    const restart = restarts[this.chosen];
    const from = (Date.parse(restart.began) - Date.parse(this.report.began)) / 1000;
    const cost = Math.max(0.2, restart.downSeconds ?? 1);
    this.show(from - cost * 2, from + cost * 4);
    this.tell({ restart });
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
        this.show(0, this.length);
        this.tell(null);
      },
      n: () => this.choose(this.chosen + 1),
      p: () => this.choose(this.chosen - 1),
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
