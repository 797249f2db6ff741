// What the lower part of the page shows: timeline, restarts, logs, events, exits. Each pane has an element, is told when it
// is seen and when it is not, and does nothing while nobody sees it. Texts go in as texts, never as markup.
import { Timeline } from "./timeline.js";
import { detail, el, failureCard, legend, restartCard } from "./report.js";

const MOST_LINES = 5000; // of a log on the page
const MOST_EVENTS = 500;

/** Asks the program; a refusal becomes an error with its words. */
export async function ask(path, parameters, options = {}) {
  const answer = await fetch("/ui/api/" + path + (parameters ? "?" + new URLSearchParams(parameters) : ""), options);
  if (answer.ok) {
    return answer;
  }
  const text = await answer.text();
  let words = text;
  try {
    const said = JSON.parse(text);
    words = said.trouble ?? said.message ?? text;
  } catch {
    // no JSON: the text itself
  }
  throw Object.assign(new Error(words.trim() || "answer " + answer.status), { status: answer.status });
}

/** Control characters as pictures of themselves, colours of terminals not at all. */
export function plain(text) {
  return text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => String.fromCharCode(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)));
}

export class TimelinePane {
  constructor(picked) {
    this.picked = picked;
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": "Timeline: one lane per worker. Keys: plus, minus, arrows, n and p, m and M, 0." });
    this.box = el("aside", { "aria-live": "polite" });
    this.trouble = el("p", { class: "cause" });
    this.element = el("section", {}, this.trouble, el("div", { class: "chart" }, this.canvas, this.box), legend());
    this.mark = "";
    this.wanted = undefined;
    this.asking = false;
    this.seen = false;
  }

  focus() {
    this.canvas.focus();
  }

  clear() {
    this.mark = "";
    this.wanted = undefined;
    this.report = undefined;
    this.events = [];
    this.generation = (this.generation ?? 0) + 1;
    this.trouble.textContent = "";
    if (this.timeline !== undefined) {
      this.give({ began: new Date().toISOString(), seconds: 0, workers: [], restarts: [] });
    }
  }

  show(shown) {
    this.seen = shown;
    this.ask();
  }

  /** The lanes are asked for when restarts or workers changed, never while an answer is on its way. */
  update(state) {
    const { report } = state.group;
    const mark = JSON.stringify([report.result, report.forgotten, report.restarts, [...state.workers.keys()]]);
    this.key = state.row;
    this.wanted = mark;
    this.events = [...state.events.values()];
    if (this.timeline !== undefined && this.mark === mark) {
      this.timeline.grow(report.seconds);
      this.timeline.tellEvents(this.events);
    }
    this.ask();
  }

  async ask() {
    if (!this.seen || this.asking || this.wanted === undefined || this.wanted === this.mark) {
      return;
    }
    this.asking = true;
    const { generation, wanted } = this;
    try {
      const answer = await ask("report", { namespace: this.key.namespace, name: this.key.name });
      const report = await answer.json();
      if (generation === this.generation) {
        this.mark = wanted;
        this.trouble.textContent = "";
        this.give(report);
      }
    } catch (failure) {
      if (generation === this.generation) {
        this.mark = wanted; // asked again with the next news
        this.trouble.textContent = "The timeline cannot be shown: " + failure.message;
      }
    } finally {
      this.asking = false;
    }
    this.ask();
  }

  /** A report to draw, as report.json has it. */
  give(report) {
    this.report = { ...report, events: this.events ?? [] };
    if (this.timeline === undefined) {
      this.timeline = new Timeline(this.canvas, this.report, (hit) => detail(this.box, hit));
      this.timeline.picked = (lane) => this.picked(lane.pod);
      detail(this.box, null);
    } else {
      this.timeline.update(this.report);
    }
    this.canvas.style.height = Math.min(700, Math.max(110, this.timeline.wanted())) + "px";
    this.timeline.resize();
  }
}

export class RestartsPane {
  constructor(timeline) {
    this.timeline = timeline; // shows restart number i there
    this.element = el("section", { tabindex: "-1" });
    this.mark = "";
  }

  focus() {
    (this.element.querySelector("summary") ?? this.element).focus();
  }

  clear() {
    this.mark = "";
    this.element.replaceChildren();
  }

  show(shown) {
    this.seen = shown;
    this.draw();
  }

  update(state) {
    this.report = state.group.report;
    this.draw();
  }

  draw() {
    const report = this.report;
    const mark = report === undefined ? "" : JSON.stringify([report.restarts, report.failures, report.hints]);
    if (!this.seen || report === undefined || this.mark === mark) {
      return;
    }
    this.mark = mark;
    const open = new Set([...this.element.querySelectorAll("details[open]")].map((one) => one.dataset.number));
    const newestFirst = [...(report.restarts ?? []).entries()].reverse();
    this.element.replaceChildren(
      ...(report.failures ?? []).map(failureCard),
      ...(report.hints ?? []).map((hint) => el("p", { class: "hint" }, hint)),
      ...newestFirst.map(([index, restart]) => {
        const card = restartCard(restart, { choose: this.timeline }, index);
        card.dataset.number = String(restart.number);
        card.open = open.has(card.dataset.number) || (open.size === 0 && index === report.restarts.length - 1);
        return card;
      }),
      ...(newestFirst.length === 0 ? [el("p", { class: "nothing" }, "No restart so far.")] : []),
    );
  }
}

export class LogPane {
  constructor() {
    this.title = el("b", {});
    this.containers = el("select", { "aria-label": "Container" });
    this.previous = el("button", { type: "button" }, "the run before");
    this.note = el("small", { role: "status" });
    this.log = el("div", { class: "log", tabindex: "0", role: "log", "aria-live": "off", "aria-label": "Output" });
    this.element = el("section", {}, el("p", { class: "head" }, this.title, this.containers, this.previous, this.note), this.log);
    this.containers.addEventListener("change", () => this.open());
    this.previous.addEventListener("click", () => this.open(true));
    this.pending = [];
    this.frame = 0;
    this.clear();
  }

  focus() {
    this.log.focus();
  }

  clear() {
    this.stop();
    this.worker = undefined;
    this.opened = undefined;
    this.title.textContent = "";
    this.containers.hidden = true;
    this.previous.hidden = true;
    this.note.textContent = "Choose a worker above.";
    this.log.replaceChildren();
  }

  show(shown) {
    this.seen = shown;
    if (shown) {
      this.follow();
    } else {
      this.stop();
    }
  }

  /** Shows this worker from now on. */
  choose(worker, namespace) {
    const same = this.worker?.pod === worker.pod;
    this.worker = worker;
    this.namespace = namespace;
    if (!same) {
      this.stop();
      this.opened = undefined;
      this.title.textContent = worker.name;
      this.containers.replaceChildren(...worker.containers.map((name) => el("option", {}, name)));
      this.containers.hidden = worker.containers.length < 2;
    }
    this.previous.hidden = !(worker.restarts > 0);
    this.follow();
  }

  update(state) {
    const worker = this.worker === undefined ? undefined : state.workers.get(this.worker.pod);
    if (worker !== undefined) {
      this.choose(worker, this.namespace);
    }
  }

  /** Begins once, and again when the container was started anew. */
  follow() {
    if (!this.seen || this.worker === undefined || this.stream !== undefined) {
      return;
    }
    const run = this.worker.restarts + " " + this.worker.attempt;
    const begun = ["running", "done", "culprit"].includes(this.worker.sign);
    if (this.opened === undefined || (this.opened !== run && begun)) {
      this.open();
    }
  }

  stop() {
    this.stream?.abort();
    this.stream = undefined;
  }

  async open(previous = false) {
    this.stop();
    const fresh = this.opened === undefined || previous;
    const stream = new AbortController();
    this.stream = stream;
    this.opened = this.worker.restarts + " " + this.worker.attempt;
    this.note.textContent = previous ? "the run before this one" : "";
    this.pending = [];
    this.tail = undefined;
    if (fresh || this.shownContainer !== this.containers.value) {
      this.log.replaceChildren();
    } else {
      this.add([el("div", { class: "mark" }, "started again, attempt " + (this.worker.attempt ?? "?"))]);
    }
    this.shownContainer = this.containers.value;
    try {
      const parameters = { namespace: this.namespace, pod: this.worker.pod, container: this.containers.value };
      const answer = await ask("logs", previous ? { ...parameters, previous: "true" } : parameters, { signal: stream.signal });
      await this.read(answer.body.getReader(), stream.signal);
    } catch (failure) {
      if (!stream.signal.aborted) {
        this.note.textContent = failure.message;
      }
    }
    if (this.stream === stream) {
      this.stream = undefined;
      this.follow();
    }
  }

  async read(reader, signal) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) {
        return;
      }
      const lines = (rest + (value ? decoder.decode(value, { stream: true }) : "")).split("\n");
      rest = done ? "" : lines.pop().slice(-65536);
      this.write(done ? lines.filter((line, i) => line !== "" || i < lines.length - 1) : lines, rest);
      if (done) {
        return;
      }
    }
  }

  /** Whole lines, and the beginning of the next: a progress bar is shown as it stands. */
  write(lines, rest) {
    this.pending.push(...lines);
    this.pending = this.pending.slice(-MOST_LINES);
    this.rest = rest;
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  paint() {
    const drawn = (line) => plain(line.split("\r").filter((part) => part !== "").at(-1) ?? "");
    this.tail?.remove();
    const added = this.pending.map((line) => el("div", {}, drawn(line)));
    this.pending = [];
    this.tail = this.rest === "" ? undefined : el("div", {}, drawn(this.rest));
    this.add(this.tail === undefined ? added : [...added, this.tail]);
  }

  add(elements) {
    const log = this.log;
    const below = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
    log.append(...elements);
    while (log.childElementCount > MOST_LINES) {
      log.firstElementChild.remove();
    }
    if (below) {
      log.scrollTop = log.scrollHeight;
    }
  }
}

export class EventsPane {
  constructor() {
    this.body = el("tbody", {});
    this.none = el("p", { class: "nothing" }, "No events.");
    const heads = ["at", "about", "reason", ""];
    this.table = el("table", { class: "events" }, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", {}, head)))), this.body);
    this.element = el("section", { tabindex: "-1" }, this.none, this.table);
    this.dirty = false;
  }

  focus() {
    this.element.focus({ preventScroll: true });
  }

  clear() {
    this.events = [];
    this.dirty = true;
    this.draw();
  }

  show(shown) {
    this.seen = shown;
    this.draw();
  }

  update(state) {
    this.events = state.events;
    this.dirty = true;
    this.draw();
  }

  draw() {
    if (!this.seen || !this.dirty) {
      return;
    }
    this.dirty = false;
    const newest = [...this.events.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, MOST_EVENTS);
    this.none.hidden = newest.length > 0;
    this.table.hidden = newest.length === 0;
    this.body.replaceChildren(
      ...newest.map((event) =>
        el(
          "tr",
          { class: event.type === "Warning" ? "warning" : "" },
          el("td", { class: "n" }, at(event.at)),
          el("td", {}, event.kind.toLowerCase() + "/" + event.name),
          el("td", {}, event.reason + (event.count > 1 ? " ×" + event.count : "")),
          el("td", {}, event.text),
        ),
      ),
    );
  }
}

/** The time of day here. */
function at(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleTimeString([], { hour12: false });
}

export class ExitsPane {
  constructor() {
    this.tables = el("div", {});
    this.containers = el("select", { "aria-label": "Container" });
    this.code = el("input", { "aria-label": "Exit", placeholder: "42, SIGKILL, OOMKilled", size: "22", autocomplete: "off" });
    this.answer = el("p", { class: "answer", role: "status" });
    this.form = el("form", { class: "head" }, "What happens when ", this.containers, " exits with ", this.code, el("button", { type: "submit" }, "Ask"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.question();
    });
    this.element = el("section", {}, this.form, this.answer, this.tables);
  }

  focus() {
    this.code.focus();
  }

  clear() {
    this.asked = undefined;
    this.tables.replaceChildren();
    this.answer.textContent = "";
    this.code.value = "";
  }

  show(shown) {
    this.seen = shown;
    this.load();
  }

  update(state) {
    this.row = state.row;
    this.load();
  }

  load() {
    if (this.seen && this.row !== undefined && this.asked !== this.row.key) {
      this.asked = this.row.key;
      this.loaded = this.ask(this.asked);
    }
  }

  async ask(key) {
    try {
      const { tables } = await (await ask("explain", { namespace: this.row.namespace, name: this.row.name })).json();
      if (this.asked !== key) {
        return;
      }
      const names = tables.flatMap(({ rows }) => rows.slice(1).map(([container]) => container.replace(/ \(.*/, "")));
      this.containers.replaceChildren(...[...new Set(names)].map((name) => el("option", {}, name)));
      const main = tables[0]?.rows.slice(1).find(([container]) => !container.includes("("));
      this.containers.value = main?.[0] ?? this.containers.value;
      this.tables.replaceChildren(
        ...tables.map(({ replicatedJob, rows }) =>
          el(
            "div",
            { class: "wide-table" },
            tables.length > 1 ? el("h3", {}, replicatedJob) : undefined,
            el(
              "table",
              {},
              el("thead", {}, el("tr", {}, ...rows[0].map((head) => el("th", {}, head.toLowerCase())))),
              el("tbody", {}, ...rows.slice(1).map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell))))),
            ),
          ),
        ),
      );
    } catch (failure) {
      this.answer.textContent = failure.message;
    }
  }

  async question() {
    const code = this.code.value.trim();
    if (code === "" || this.row === undefined) {
      return;
    }
    const { namespace, name } = this.row;
    await this.loaded; // the containers to ask about
    try {
      const { sentences } = await (await ask("explain", { namespace, name, exit: this.containers.value + "=" + code })).json();
      this.answer.textContent = sentences.join(" ");
    } catch (failure) {
      this.answer.textContent = failure.message;
    }
  }
}
