// What a report shows over time, as plain data: lanes of workers, the band of the whole group, marks. Pure functions of
// report.json; nothing here draws or knows of a page.

/** Seconds as people read them: 0.25s, 12.4s, 3:05, 2:03:05. Halves go up, as on the terminal; reports have milliseconds. */
export function clock(seconds, fine = 2) {
  if (Math.abs(seconds) < 60) {
    const digits = seconds >= 10 ? Math.min(fine, 1) : fine;
    const unit = 10 ** (3 - digits);
    return ((Math.round(Math.round(seconds * 1000) / unit) * unit) / 1000).toFixed(digits) + "s";
  }
  const whole = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? hours + ":" + two(minutes) + ":" + two(whole % 60) : minutes + ":" + two(whole % 60);
}

/**
 * The lanes of a report, in seconds since it began. Each has {name, pod, worker, runs: [{from, to, attempt}]} and
 * {stops: [{from, to, stopped, barrier, lifted, running, role, restart}]}.
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
      });
    }
  }
  const all = [...known.values()]; // in the order of the report, which is that of all views
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
  const restarts = report.restarts ?? [];
  for (const [i, restart] of restarts.entries()) {
    const began = Math.max(from, at(restart.began));
    const works = Math.max(began, restart.works === undefined ? report.seconds : at(restart.works));
    const next = restarts[i + 1] === undefined ? report.seconds : at(restarts[i + 1].began);
    const back = Math.max(works, restart.back !== undefined ? at(restart.back) : isRepeating(restart) ? next : works);
    pieces.push({ kind: "useful", from, to: began });
    pieces.push({ kind: "down", from: began, to: works });
    pieces.push({ kind: "redoing", from: works, to: back });
    from = back;
  }
  pieces.push({ kind: "useful", from, to: Math.max(from, report.seconds) });
  return pieces.filter((piece) => piece.to > piece.from);
}

/** Whether it never came back to the step it had reached: then all it did counts as done again, as in the goodput. */
function isRepeating(restart) {
  return restart.works !== undefined && restart.resumedStep !== undefined && restart.resumedStep < (restart.reachedStep ?? -1);
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
