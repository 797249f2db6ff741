// The live page. One connection brings what changes; everything on the page is drawn from what it brought, at most once per
// frame. Every text goes in as text, never as markup.
import { Cells, SIGNS } from "./cells.js";
import { EventsPane, ExitsPane, LogPane, RestartsPane, TimelinePane, ask } from "./panes.js";
import { clock } from "./lanes.js";
import { el, percent, summary } from "./report.js";

const ALL = "All workers are stopped with their grace and start again where they stand, together, from their last checkpoint.";
const ONE = "All containers of this pod are stopped and start again where they stand.";
const byId = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.rows = new Map(); // JobSets by key
    this.items = new Map(); // their elements
    this.state = { row: undefined, group: undefined, workers: new Map(), events: new Map() };
    this.chosen = undefined; // key
    this.frame = 0;
    this.cells = new Cells(byId("cells"), (worker, open) => this.worker(worker, open), (worker) => this.tellWorker(worker));
    const timeline = new TimelinePane((pod) => this.cells.chooseThe(pod));
    this.panes = [
      { name: "Timeline", pane: timeline },
      {
        name: "Restarts",
        pane: new RestartsPane((index) => {
          this.tab(0, true);
          timeline.timeline?.choose(index);
        }),
      },
      { name: "Logs", pane: new LogPane() },
      { name: "Events", pane: new EventsPane() },
      { name: "Exits", pane: new ExitsPane() },
    ];
    this.timelinePane = timeline;
    this.buildTabs();
    this.tab(0);
    this.listen();
  }

  // What comes

  connect() {
    this.source?.close();
    const [namespace, name] = this.chosen === undefined ? [] : this.chosen.split("/");
    const source = new EventSource("/ui/api/live" + (name === undefined ? "" : "?" + new URLSearchParams({ namespace, name })));
    this.source = source;
    source.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("trouble", (event) => this.linked(JSON.parse(event.data).trouble, "bad"));
    source.addEventListener("error", () =>
      source.readyState === EventSource.CLOSED
        ? this.linked("The program was ended or started anew: open the link that it prints.", "bad")
        : this.linked("no connection, trying again…", "bad"),
    );
  }

  linked(text, kind) {
    byId("link").textContent = text;
    byId("link").className = kind;
  }

  /** One frame of news. */
  take(news) {
    this.linked("live", "good");
    if (news.first) {
      this.rows.clear();
      this.state.workers.clear();
      this.state.events.clear();
    }
    for (const row of news.groups) {
      this.rows.set(row.key, row);
    }
    for (const key of news.gone) {
      this.rows.delete(key);
    }
    this.state.row = this.rows.get(this.chosen);
    if (news.group !== undefined) {
      this.state.group = news.group;
      news.group.workers.forEach((worker) => this.state.workers.set(worker.pod, worker));
      news.group.left.forEach((pod) => this.state.workers.delete(pod));
    }
    (news.events ?? []).forEach((event) => this.state.events.set(event.id, event));
    if (news.first && this.state.row === undefined) {
      this.first();
    }
    this.draw();
  }

  /** Nobody has chosen, or it is gone: one that runs, else the newest. */
  first() {
    const wanted = decodeURIComponent(location.hash.slice(2));
    const open = ({ state }) => !["Completed", "Failed"].includes(state);
    const best = [...this.rows.values()].sort((a, b) => open(b) - open(a) || (a.began < b.began ? 1 : -1))[0];
    const key = this.rows.has(wanted) && wanted !== this.chosen ? wanted : best?.key;
    if (key !== undefined) {
      this.choose(key);
    }
  }

  choose(key) {
    if (key === this.chosen && this.state.row !== undefined) {
      return;
    }
    this.chosen = key;
    this.state.row = this.rows.get(key);
    this.state.group = undefined;
    this.state.workers.clear();
    this.state.events.clear();
    this.chosenWorker = undefined;
    this.pointed = undefined;
    byId("said").textContent = "";
    this.panes.forEach(({ pane }) => pane.clear());
    history.replaceState(null, "", "#/" + key);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.connect(), 80); // whoever runs through the list does not stop at each
    this.draw();
  }

  // What is drawn

  draw() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  paint() {
    this.paintList();
    const { row, group } = this.state;
    const none = this.rows.size === 0;
    byId("empty").hidden = row !== undefined && group !== undefined;
    byId("shown").hidden = row === undefined || group === undefined;
    if (row === undefined || group === undefined) {
      const words = none ? "No JobSet is here. Apply one, for example" : row === undefined ? "This JobSet is gone. Choose another." : "";
      byId("empty").replaceChildren(el("p", {}, words), ...(none ? [el("pre", {}, "kubectl apply -f examples/training.yaml")] : []));
      return;
    }
    document.title = row.name + " " + row.state + " · Regroup";
    this.paintTitle(row, group);
    byId("facts").replaceChildren(summary(group.report));
    const workers = [...this.state.workers.values()].sort((a, b) => a.number - b.number);
    this.cells.show(workers);
    this.tellWorker(this.pointed === undefined ? undefined : this.state.workers.get(this.pointed)); // as it is now
    this.panes.forEach(({ pane }) => pane.update(this.state));
  }

  paintList() {
    const list = byId("groups");
    const several = new Set([...this.rows.values()].map(({ namespace }) => namespace)).size > 1;
    const keys = [...this.rows.values()].sort((a, b) => (a.namespace + "/" + a.name < b.namespace + "/" + b.name ? -1 : 1)).map(({ key }) => key);
    for (const [key, item] of this.items) {
      if (!this.rows.has(key)) {
        item.element.remove();
        this.items.delete(key);
      }
    }
    keys.forEach((key, i) => {
      const row = this.rows.get(key);
      let item = this.items.get(key);
      if (item === undefined) {
        item = { element: el("li", { role: "option", id: "group-" + key }), mark: "" };
        item.element.addEventListener("click", () => this.choose(key));
        this.items.set(key, item);
      }
      const mark = several + JSON.stringify(row);
      if (item.mark !== mark) {
        item.mark = mark;
        item.element.replaceChildren(
          el("span", { class: "name" }, row.name),
          el("span", { class: "chip " + row.state }, row.state),
          el("small", {}, [...(several ? [row.namespace] : []), ...(row.attempt === undefined ? [] : ["attempt " + row.attempt]), restarts(row.restarts)].join(" · ")),
          el("span", { class: "n" }, row.goodput === undefined ? "" : percent(row.goodput)),
        );
      }
      item.element.setAttribute("aria-selected", String(key === this.chosen));
      if (list.children[i] !== item.element) {
        list.insertBefore(item.element, list.children[i] ?? null);
      }
    });
    if (this.items.has(this.chosen)) {
      list.setAttribute("aria-activedescendant", "group-" + this.chosen);
    }
  }

  paintTitle(row, group) {
    byId("name").textContent = row.name;
    byId("state").textContent = row.state;
    byId("state").className = "chip " + row.state;
    const budget = group.status.budget;
    byId("where").textContent = [
      row.namespace,
      row.attempt === undefined ? undefined : "attempt " + row.attempt,
      row.inPlace ? budget.used + " of " + budget.allowed + " restarts used" : "restarts make its Jobs anew",
    ]
      .filter((part) => part !== undefined)
      .join(" · ");
    byId("restart").disabled = ["Completed", "Failed"].includes(row.state);
    byId("story").replaceChildren(...this.story(group));
  }

  /** How long the restart under way has taken so far, every second. */
  tellPassed() {
    clearTimeout(this.tick);
    if (this.state.group?.underWay !== undefined) {
      this.passed.textContent = ", " + clock(Math.max(0, (Date.now() - this.since) / 1000), 1) + " so far";
      this.tick = setTimeout(() => this.tellPassed(), 1000);
    }
  }

  /** What goes on now: the restart under way, whom it waits for, what is in the way. */
  story(group) {
    const lines = [];
    const { barrier } = group.status;
    if (group.underWay !== undefined) {
      const { kind, attempt, since, cause } = group.underWay;
      const what = kind === "recreation" ? "All Jobs are made anew" : "Going to attempt " + attempt;
      this.passed = el("span", { "aria-hidden": "true" }); // nobody wants to hear every second
      this.since = Date.parse(since);
      this.tellPassed();
      lines.push(el("span", { class: "cause" }, what, this.passed, cause === "" ? "" : ": " + cause));
    }
    if (barrier.missing.length > 0) {
      const some = barrier.missing.slice(0, 3).map(({ pod, why }) => pod + " (" + why + ")");
      const more = barrier.missing.length - some.length;
      lines.push(el("span", {}, barrier.arrived + " of " + barrier.expected + " at the attempt; missing: " + some.join(", ") + (more > 0 ? " and " + more + " more" : "")));
    }
    for (const line of group.report.why ?? []) {
      lines.push(el("span", { class: "cause" }, line));
    }
    return lines;
  }

  count(workers) {
    const counts = new Map();
    workers.forEach(({ sign }) => counts.set(sign, (counts.get(sign) ?? 0) + 1));
    byId("cell").replaceChildren(
      ...Object.entries(SIGNS)
        .filter(([sign]) => counts.has(sign))
        .map(([sign, { words, symbol, colour }]) => el("span", { class: "key" }, el("i", { class: "sign c-" + colour }, symbol), counts.get(sign) + " " + words)),
    );
    byId("cells").setAttribute("aria-label", "Workers: " + [...counts].map(([sign, n]) => n + " " + (SIGNS[sign]?.words ?? sign)).join(", ") + ". Arrows choose one, Enter shows its log.");
  }

  tellWorker(worker) {
    this.pointed = worker?.pod;
    if (worker === undefined) {
      this.count([...this.state.workers.values()]);
      return;
    }
    const progress = worker.progress;
    const parts = [
      SIGNS[worker.sign]?.words ?? worker.sign,
      worker.attempt === undefined ? undefined : "attempt " + worker.attempt,
      worker.restarts === undefined ? undefined : restarts(worker.restarts),
      progress === undefined ? undefined : "step " + progress.step + (progress.total ? " of " + progress.total : ""),
      worker.node === "" ? undefined : "on " + worker.node,
    ];
    byId("cell").replaceChildren(el("b", {}, worker.name), " ", parts.filter((part) => part !== undefined).join(" · "), " ", el("small", {}, worker.pod));
  }

  worker(worker, open) {
    this.tellWorker(worker);
    const logs = this.panes[2].pane;
    logs.choose(worker, this.state.row.namespace);
    this.chosenWorker = worker;
    if (open) {
      this.tab(2, true);
    }
  }

  // Tabs, keys, dialogs

  buildTabs() {
    this.tabs = this.panes.map(({ name, pane }, i) => {
      const tab = el("button", { type: "button", role: "tab", id: "tab-" + i, "aria-controls": "pane-" + i }, name, el("kbd", {}, String(i + 1)));
      tab.addEventListener("click", () => this.tab(i));
      tab.addEventListener("keydown", (event) => {
        const to = { ArrowLeft: i - 1, ArrowRight: i + 1 }[event.key];
        if (to !== undefined) {
          event.preventDefault();
          this.tab((to + this.panes.length) % this.panes.length);
          this.tabs[(to + this.panes.length) % this.panes.length].focus();
        }
      });
      pane.element.id = "pane-" + i;
      pane.element.setAttribute("role", "tabpanel");
      pane.element.setAttribute("aria-labelledby", "tab-" + i);
      byId("panes").append(pane.element);
      return tab;
    });
    byId("tabs").append(...this.tabs);
  }

  tab(i, focus = false) {
    this.tabs.forEach((tab, n) => {
      tab.setAttribute("aria-selected", String(n === i));
      tab.tabIndex = n === i ? 0 : -1;
      const { pane } = this.panes[n];
      pane.element.hidden = n !== i;
      pane.show(n === i);
    });
    if (focus) {
      this.panes[i].pane.focus();
    }
  }

  listen() {
    const list = byId("groups");
    list.addEventListener("keydown", (event) => {
      const keys = [...list.children].map((item) => item.id.slice("group-".length));
      const at = keys.indexOf(this.chosen);
      const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: keys.length - 1 }[event.key];
      if (to !== undefined && keys.length > 0) {
        event.preventDefault();
        this.choose(keys[Math.max(0, Math.min(keys.length - 1, to))]);
        this.items.get(this.chosen)?.element.scrollIntoView({ block: "nearest" });
      } else if (event.key === "Enter") {
        byId("cells").focus();
      }
    });
    document.addEventListener("keydown", (event) => this.key(event));
    byId("keys").addEventListener("click", () => byId("help").showModal());
    byId("help-close").addEventListener("click", () => byId("help").close());
    byId("restart").addEventListener("click", () => this.askRestart());
    byId("ask-cancel").addEventListener("click", () => byId("ask").close());
    byId("ask-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.restart();
    });
    addEventListener("pagehide", () => this.source?.close());
    addEventListener("pageshow", (event) => event.persisted && this.connect());
  }

  key(event) {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog[open]") !== null;
    if (event.key === "Escape" && typing && event.target.closest("dialog") === null) {
      event.target.blur(); // the other keys work again
    }
    if (typing || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const shown = !byId("shown").hidden;
    const keys = {
      "?": () => byId("help").showModal(),
      g: () => byId("groups").focus(),
      w: () => shown && byId("cells").focus(),
      r: () => shown && !byId("restart").disabled && this.askRestart(),
    };
    const tab = Number(event.key) - 1;
    if (keys[event.key] !== undefined) {
      event.preventDefault();
      keys[event.key]();
    } else if (shown && tab >= 0 && tab < this.panes.length) {
      event.preventDefault();
      this.tab(tab, true);
    }
  }

  /** Asks before, and says what will happen. */
  askRestart() {
    const { row, workers } = this.state;
    const one = workers.get(this.chosenWorker?.pod);
    const targets = [{ value: "jobset/" + row.name, words: "the whole group, " + workers.size + (workers.size === 1 ? " worker" : " workers") }];
    if (one !== undefined) {
      targets.push({ value: "pod/" + one.pod, words: "only " + one.name });
    }
    byId("ask-title").textContent = "Restart " + row.name + "?";
    byId("ask-text").textContent = ALL;
    byId("ask-targets").replaceChildren(
      ...targets.map(({ value, words }, i) => {
        const radio = el("input", { type: "radio", name: "target", value, ...(i === 0 ? { checked: "" } : {}) });
        radio.addEventListener("change", () => {
          byId("ask-text").textContent = i === 0 ? ALL : ONE;
          byId("ask-count").hidden = i !== 0;
        });
        return el("label", { class: "check" }, radio, " " + words);
      }),
    );
    byId("ask-count").hidden = false;
    byId("ask-uncounted").checked = false;
    byId("ask-reason").value = "";
    byId("ask").showModal();
    byId("ask-reason").focus();
  }

  async restart() {
    const target = byId("ask-targets").querySelector("input:checked").value;
    const wish = { target, namespace: this.state.row.namespace, reason: byId("ask-reason").value.trim(), uncounted: byId("ask-uncounted").checked };
    byId("ask").close();
    const said = byId("said");
    const key = this.chosen;
    const say = (text, kind) => {
      if (this.chosen === key) {
        said.textContent = text;
        said.className = kind;
      }
    };
    say("Restart of " + target + " is asked for…", "");
    try {
      const answer = await ask("restart", undefined, {
        method: "POST",
        headers: { "X-Regroup-Page": "1", "Content-Type": "application/json" },
        body: JSON.stringify(wish),
      });
      say((await answer.json()).said, "good");
    } catch (failure) {
      say(failure.message, "cause");
    }
  }
}

function restarts(n) {
  return n + (n === 1 ? " restart" : " restarts");
}

if (!location.hash.startsWith("#/")) {
  history.replaceState(null, "", location.pathname); // a link with a token, though nobody asked for it
}
addEventListener("hashchange", () => location.reload()); // another link, or another JobSet
const page = new Page();
globalThis.page = page;
page.connect();
