// The page of a report. Everything on it comes from report.json, which lies in the page itself; every text goes in as text,
// never as markup.
import { clock } from "./lanes.js";
import { Timeline } from "./timeline.js";

const MOST_ROWS = 200; // of a table, until more are asked for
const MOST_MARKS = 6; // beside the chart
const MOST_NAMES = 3; // of those that were waited for
const COLOURS = { lifted: "s-barrier", running: "s-starting", "first output": "s-starting", "back at its step": "s-redoing" }; // of stages

/** An element with attributes, a class and children; strings become text. */
export function el(name, options = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key === "class") {
      node.className = value;
    } else if (key === "on") {
      for (const [event, listener] of Object.entries(value)) {
        node.addEventListener(event, listener);
      }
    } else {
      node.setAttribute(key, value);
    }
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

/** Rounded down, as on the terminal: nothing less than all is 100 %. */
export const percent = (ratio) => (Math.floor(ratio * 1000) / 10).toFixed(1) + "%";

function title(report) {
  const workload = report.workloads?.[0];
  return (workload?.name ?? "run") + " " + report.result;
}

export function summary(report) {
  const facts = [];
  const fact = (name, value, note) =>
    value === undefined ? undefined : facts.push(el("div", { class: "fact" }, el("b", {}, value), el("span", {}, name), note && el("small", {}, note)));
  fact("goodput", report.goodput && percent(report.goodput.ratio), report.goodput && measured(report.goodput.measure));
  fact("in all", clock(report.seconds));
  fact("down", report.goodput && clock(report.goodput.downSeconds));
  const known = report.goodput && (report.goodput.measure === "steps" || report.goodput.redoingSeconds > 0); // else nobody told
  fact("done twice", known ? clock(report.goodput.redoingSeconds) : undefined);
  fact("until it first worked", report.goodput && clock(report.goodput.startingSeconds));
  const restarts = (report.restarts?.length ?? 0) + (report.forgotten ?? 0);
  fact(restarts === 1 ? "restart" : "restarts", String(restarts));
  fact("step", report.progress && String(report.progress.step) + (report.progress.total ? " of " + report.progress.total : ""));
  return el("section", { class: "facts", "aria-label": "Summary" }, ...facts);
}

function measured(measure) {
  return { steps: "from steps", output: "from output: no steps were told", running: "nothing was written: from running containers" }[measure] ?? "";
}

export function legend() {
  const one = (name, colour) => el("span", { class: "key" }, el("i", { class: "swatch " + colour }), name);
  return el(
    "p",
    { class: "legend" },
    one("useful", "s-useful"),
    one("running (a colour per attempt)", "s-attempt"),
    one("down", "s-down"),
    one("at the barrier", "s-barrier"),
    one("program starts", "s-starting"),
    one("done twice", "s-redoing"),
    one("culprit", "s-culprit"),
    el("span", { class: "key" }, el("i", { class: "sign note" }, "▾"), "what happened"),
    el("span", { class: "key" }, el("i", { class: "sign warning" }, "▾"), "warning"),
    el("span", { class: "key" }, el("i", { class: "sign" }, "▴"), "went on from a checkpoint"),
    el("small", {}, "wheel or + − zooms, drag or arrows move, n p go through restarts, m M through marks, 0 shows all"),
  );
}

/** What the pointer is on, beside the chart. */
export function detail(box, hit) {
  box.replaceChildren();
  if (hit?.marks !== undefined) {
    const some = hit.marks.slice(0, MOST_MARKS).map((mark) => el("p", { class: mark.kind }, clock(mark.at) + " ", mark.text));
    box.append(...some, hit.marks.length > MOST_MARKS ? "and " + (hit.marks.length - MOST_MARKS) + " more: zoom in" : "");
    return;
  }
  if (hit === null || (hit.lane === undefined && hit.restart === undefined)) {
    box.append("Point at a lane or a mark, or press n for the next restart, m for the next mark.");
    return;
  }
  const lane = hit.lane;
  if (lane !== undefined) {
    box.append(el("b", {}, lane.name), " ", el("small", {}, lane.pod), el("br"));
  }
  if (hit.restart === undefined) {
    box.append(hit.run ? "attempt " + hit.run.attempt + ", " + clock(hit.run.from) + " to " + clock(hit.run.to) : "at " + clock(hit.at));
    return;
  }
  const restart = hit.restart;
  box.append("restart " + restart.number + (hit.stop?.role ? ", " + hit.stop.role : "") + ": " + downWords(restart));
  if (restart.cause !== undefined) {
    box.append(el("br"), restart.cause);
  }
  box.append(stages(restart));
}

function downWords({ downSeconds, underWay }) {
  return downSeconds === undefined ? "not over" : clock(downSeconds) + " down" + (underWay ? " so far" : "");
}

function stages(restart) {
  const all = restart.stages ?? [];
  const longest = Math.max(0.001, ...all.map((stage) => stage.seconds));
  return el(
    "table",
    { class: "stages" },
    ...all.map((stage) => {
      const bar = el("i", { class: "length " + (COLOURS[stage.until] ?? "s-down") });
      bar.style.width = (100 * stage.seconds) / longest + "%";
      return el("tr", {}, el("td", {}, stage.until), el("td", { class: "n" }, clock(stage.seconds)), el("td", { class: "wide" }, bar));
    }),
  );
}

export function restartCard(restart, timeline, index) {
  const steps =
    restart.reachedStep === undefined
      ? undefined
      : "reached step " + restart.reachedStep + (restart.resumedStep === undefined ? "" : ", went on at " + restart.resumedStep) + (restart.redoneSteps ? ", " + restart.redoneSteps + " done twice" : "");
  const log = restart.culprit?.log ?? [];
  return el(
    "details",
    { class: "restart", ...(index === 0 ? { open: "" } : {}) },
    el(
      "summary",
      {},
      "Restart " + restart.number + ": " + downWords(restart) + " ",
      el("small", {}, kindWords(restart.kind)),
    ),
    el("button", { type: "button", on: { click: () => timeline.choose(index) } }, "show in the timeline"),
    restart.cause && el("p", { class: "cause" }, restart.cause),
    log.length > 0 ? el("pre", {}, log.join("\n")) : undefined,
    steps && el("p", {}, steps),
    (restart.waits ?? []).length > 0
      ? el("p", {}, "waited for " + waited(restart.waits) + ": they catch the stop signal")
      : undefined,
    stages(restart),
  );
}

function waited(waits) {
  const names = waits.slice(0, MOST_NAMES).map((wait) => wait.pod + " (" + clock(wait.seconds) + ")").join(", ");
  return waits.length > MOST_NAMES ? names + " and " + (waits.length - MOST_NAMES) + " more" : names;
}

function kindWords(kind) {
  return { inPlace: "in place", recreation: "all Jobs made anew", pod: "one pod" }[kind] ?? "";
}

export function failureCard(failure) {
  return el(
    "section",
    { class: "failure" },
    el("h2", {}, "Why " + failure.workload + " failed"),
    el("p", { class: "cause" }, (failure.pod ? failure.pod + ": " : "") + (failure.words ?? "")),
    (failure.log ?? []).length > 0 ? el("pre", {}, failure.log.join("\n")) : undefined,
    (failure.followed ?? []).length > 0 ? el("p", {}, "Merely followed: " + failure.followed.join(", ")) : undefined,
  );
}

/** A table that shows its first rows and the others when asked. */
export function table(caption, heads, rows, name = "") {
  const body = el("tbody", {}, ...rows.slice(0, MOST_ROWS));
  const section = el("section", {}, el("h2", {}, caption), el("table", { class: name }, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", {}, head)))), body));
  if (rows.length > MOST_ROWS) {
    const more = el("button", { type: "button" }, "show all " + rows.length);
    more.addEventListener("click", () => {
      body.replaceChildren(...rows);
      more.remove();
    });
    section.append(more);
  }
  return section;
}

function workers(report) {
  return table(
    "Workers",
    ["worker", "pod", "phase", "attempt", "restarts", "step"],
    (report.workers ?? []).map((worker) => {
      const step = worker.progress ? worker.progress.step + (worker.progress.total ? " of " + worker.progress.total : "") : "";
      const cells = [worker.worker, worker.pod, worker.phase, worker.attempt, worker.restarts, step];
      return el("tr", {}, ...cells.map((cell) => el("td", {}, cell === undefined ? "" : String(cell))));
    }),
  );
}

function story(report) {
  return table(
    "What happened",
    ["after", ""],
    (report.story ?? []).map((line) => el("tr", {}, el("td", { class: "n" }, clock(line.seconds)), el("td", {}, line.text))),
  );
}

function events(report) {
  const began = Date.parse(report.began);
  return table(
    "What the cluster told",
    ["after", "about", "reason", ""],
    (report.events ?? []).map((event) =>
      el(
        "tr",
        { class: event.type === "Warning" ? "warning" : "" },
        el("td", { class: "n" }, clock((Date.parse(event.at) - began) / 1000)),
        el("td", {}, (event.kind ?? "").toLowerCase() + "/" + event.name),
        el("td", {}, event.reason + (event.count > 1 ? " ×" + event.count : "")),
        el("td", {}, event.text),
      ),
    ),
    "told",
  );
}

/** Puts the page together below this node. */
export function show(root, report) {
  document.title = title(report);
  const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": "Timeline: one lane per worker. Keys: plus, minus, arrows, n and p, m and M, 0." });
  const box = el("aside", { "aria-live": "polite" });
  root.replaceChildren(
    el("h1", { class: "result-" + report.result }, title(report)),
    ...(report.why ?? []).map((line) => el("p", { class: "cause" }, line)),
    summary(report),
    el("section", { class: "chart" }, canvas, box),
    legend(),
  );
  const timeline = new Timeline(canvas, report, (hit) => detail(box, hit));
  canvas.style.height = Math.min(700, Math.max(120, timeline.wanted())) + "px";
  detail(box, null);
  root.append(
    ...(report.failures ?? []).map(failureCard),
    ...(report.hints ?? []).map((hint) => el("p", { class: "hint" }, hint)),
    ...(report.restarts ?? []).map((restart, index) => restartCard(restart, timeline, index)),
    workers(report),
    ...((report.story ?? []).length > 0 ? [story(report)] : []),
    ...((report.events ?? []).length > 0 ? [events(report)] : []),
    el("footer", {}, el("small", {}, (report.program ?? "") + ", " + report.began + ". The figures are those of report.json.")),
  );
  return timeline;
}

const data = document.getElementById("report");
if (data !== null) {
  globalThis.timeline = show(document.querySelector("main"), JSON.parse(data.textContent));
}
