// The clock: timers, frame callbacks and idle callbacks of all realms of one process that can read each other, in one order.
//
//   frame: timers due by its end, by (due, order of creation) -> resize, scroll -> animations -> frame callbacks -> rendering observers
//          -> idle callbacks
//   at the beginning, after each timer, after the observers and after each idle callback: the messages and tasks that have been posted, by priority
//   and order
//
// Topics have hooks at their places in the frame (add_hook). One that has nothing to do gives undefined, at no cost, and else a promise that the
// frame waits for. Hooks of 'settled' run after each task of the browser, at once; those of 'looks' after a step's last frame, for what its picture
// needs.
//
// Time stands still except in frame(), and while a page waits by reading it. A page that is thawed goes through the same frames, one with each of the
// browser's, and each is as long as the real time that has passed; nothing waits for what is under way.
(native, config) => {
  const FREE_READINGS = 1000, READING_MS = 0.01;  // Of one task; each further reading moves time, so that waiting by reading ends.
  const MOST_TIMERS = 20000;                      // Of one frame; the rest fires in the next one.
  const NESTING = 5, NESTED_MS = 4;               // HTML, "timer initialization steps", 11.

  const MESSAGE = 2;                              // The priority of one.
  const MOST_TASKS = 1000;                        // Of one frame: a chain of them need not end.
  const ARRIVAL_MS = 1000;                        // Of real time, for a message between windows and ports of this process.
  const CHILD_TURNS = 2, SILENT_MS = 250;         // Of a frame within the page; one that was removed never answers.
  const HELD_MS = 2000;                           // Of real time, within a frame; then the rest of the frame comes first.
  const GONE_MS = 1000;                           // Of real time, that the host waits for a worker.
  const LOOK_MS = 1000;                           // At most, for what a picture needs where a predicate ended the step.
  const QUIET_TASKS = 2;                          // Of the browser without anything under way, before time goes on.
  const THAWED_MS = 250;                          // Without a frame of the browser, of a thawed page; and how late timers are caught up with.
  const SOONER_MS = 3;      // Frames of a browser come a little sooner or later.

  const timers = [], missing = new native.Map(), held = new native.Map(), gates = [];
  const realms = [];
  const tasks = [[], [], [], []];  // By priority: user-blocking, what goes on after a yield, user-visible and messages, background.
  let frame_callbacks = [], idle_callbacks = [];
  let now = 0, base = 0, since_base = 0, frames = 0, orders = 0, readings = 0, nesting = 0;
  let holds = 0, tolerated = 0, travelling = 0, tasks_left = 0;
  let frame_at = 0;
  const calls = {timers: 0, frames: 0};  // Of the page's timers and frame callbacks.
  let thaw = null;  // While time goes on by itself: {now, wall_ms: where both stood; tolerated: as before; timers_until, is_over, end}.
  let called_at = 0, called_ms = 0;  // Then, and in a worker: where both stood when the page was called last.
  let leaving = false, parting = false;
  let is_seen = true, is_skipping_lost = false;  // Is what is drawn now looked at? Was something looked at that had not been drawn?
  let is_replaying = false;                      // No frame is looked at.
  let draws_all = false;                         // Each frame is drawn as if it were looked at.
  const hooks = {settled: [], changes: [], animations: [], observers: [], ends: [], looks: []};

  // ---- timers: a binary heap
  const is_before = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order);
  const push = (timer) => {
    let at = timers.push(timer) - 1;
    for (let up; at > 0 && is_before(timer, timers[up = (at - 1) >> 1]); at = up) timers[at] = timers[up];
    timers[at] = timer;
  };
  const pop = () => {
    const first = timers[0], last = timers.pop(), size = timers.length;
    if (size === 0) return first;
    let at = 0;
    for (let down = 1; down < size; down = 2 * at + 1) {
      if (down + 1 < size && is_before(timers[down + 1], timers[down])) ++down;
      if (!is_before(timers[down], last)) break;
      timers[at] = timers[down];
      at = down;
    }
    timers[at] = last;
    return first;
  };
  const clamped = (ms, level) => level > NESTING && ms < NESTED_MS ? NESTED_MS : ms;
  // `run` after `ms` of game time; again and again where it repeats. What is given back can be set off.
  const add_timer = (realm, run, ms, repeats) => {
    const timer = {due: now + clamped(ms, nesting), order: ++orders, nesting: nesting + 1, realm, run, ms, repeats, is_off: false};
    push(timer);
    return timer;
  };
  // What the browser would do after `ms`, and no timer of the page's: no clamps.
  const after = (realm, run, ms = 0) => {
    const task = {due: now + ms, order: ++orders, nesting: 0, realm, run, ms, repeats: false, is_off: false};
    push(task);
    return task;
  };

  // ---- what the page does in one go
  const call = (realm, run, ...args) => {
    readings = 0;
    if (thaw !== null || config.is_worker) mark_call();
    try {
      run(...args);
    } catch (error) {
      realm.native.report(error);
    }
  };
  const mark_call = () => {
    called_at = now;
    called_ms = native.wall_ms();
  };
  // A worker that does not come back to its tasks goes by real time, too: it is not stepped any more, and may sleep by reading.
  if (config.is_worker) {
    mark_call();
    native.every(GONE_MS / 5, mark_call);
  }
  const read = () => {
    if (thaw !== null) return now = native.max(now, called_at + native.wall_ms() - called_ms);
    if (config.is_worker) now = native.max(now, called_at + native.wall_ms() - called_ms - GONE_MS);
    return ++readings > FREE_READINGS ? (now += READING_MS) : now;
  };

  const tell_settled = () => {
    for (const {realm, run} of hooks.settled) if (!realm.is_gone) run();
  };
  const turn = async () => {
    await native.turn();
    tell_settled();
  };
  const run_hooks = async (place) => {
    for (const {realm, run} of hooks[place]) {
      const under_way = realm.is_gone || leaving ? undefined : run();
      if (under_way !== undefined) await under_way;
    }
  };
  const next_task = () => {
    for (const list of tasks) if (list.length) return list.shift();
    return undefined;
  };
  // Messages arrive in the browser's order, and run in that in which they were posted.
  const add_task = (realm, run, priority = MESSAGE, order = ++orders) => {
    const list = tasks[priority];
    let at = list.length;
    while (at > 0 && list[at - 1].order > order) --at;
    list.splice(at, 0, {realm, run, order});
  };
  const arrival = async () => {
    const until = native.wall_ms() + ARRIVAL_MS;
    while (travelling > 0 && !leaving && native.wall_ms() < until) await native.turn();
    if (travelling > 0)
      miss('a message', 'it did not arrive within ' + ARRIVAL_MS + ' ms, and came later: try again on a machine that is less busy');
    travelling = 0;
  };
  // To the end of what a callback has begun: its jobs of promises, and what it has asked for.
  const settle = async () => {
    await turn();
    nesting = 0;
    // What a callback has asked for comes before the next one, however long it takes.
    if (held.size > tolerated && !leaving) await wait(HELD_MS);
  };
  // The messages and tasks that have been posted, and theirs.
  const run_tasks = async () => {
    for (;;) {
      if (travelling > 0) await arrival();
      const task = leaving || tasks_left === 0 ? undefined : next_task();
      if (task === undefined) return;
      if (task.realm.is_gone) continue;
      if (--tasks_left === 0)
        miss('messages and tasks', 'more than ' + MOST_TASKS + ' came in one frame, the rest later: look for one that posts itself again without end');
      call(task.realm, task.run);
      await settle();
    }
  };
  const run_task = (realm, run, ...args) => {
    call(realm, run, ...args);
    return settle();
  };

  const run_timers = async (end) => {
    for (let ran = 0; timers.length && timers[0].due <= end; ++ran) {
      if (ran === MOST_TIMERS)
        return miss('timers', 'more than ' + MOST_TIMERS + ' were due in one frame, the rest came later: look for timers that nobody clears');
      if (thaw !== null && native.wall_ms() > thaw.timers_until) return;
      const timer = pop();
      if (timer.is_off || timer.realm.is_gone) continue;
      now = native.max(now, timer.due);
      nesting = timer.nesting;
      if (!timer.repeats) timer.is_off = true;
      if (timer.nesting > 0) ++calls.timers;  // Else it is no timer of the page's.
      call(timer.realm, timer.run);
      await settle();
      if (!timer.is_off) {
        timer.due += clamped(timer.ms, timer.nesting++);
        if (thaw !== null) timer.due = native.max(timer.due, now);  // As in a browser: what was missed is not made up for.
        timer.order = ++orders;
        push(timer);
      }
      await run_tasks();
      if (leaving) return;
    }
  };
  const run_frame_callbacks = async () => {
    const list = frame_callbacks.sort((a, b) => a.realm.order - b.realm.order);
    frame_callbacks = [];
    const at = now;
    for (const one of list) {
      if (one.is_off || one.realm.is_gone) continue;
      ++calls.frames;
      await run_task(one.realm, one.run, at - one.realm.origin);
      if (leaving) return;
    }
  };
  const run_idle_callbacks = async () => {
    const list = idle_callbacks;
    idle_callbacks = [];
    for (const one of list) {
      if (one.is_off || one.realm.is_gone) continue;
      await run_task(one.realm, one.run);
      await run_tasks();
      if (leaving) return;
    }
  };

  // Frames within the page have queues of their own, which the turns above say nothing of.
  const settle_realms = async () => {
    for (let i = 1; i < realms.length; ++i) {
      const realm = realms[i];
      if (realm.window.closed) realm.is_gone = true;
      if (realm.is_gone) continue;
      for (let turn = 0; turn < CHILD_TURNS && !realm.is_gone; ++turn) {
        if (await native.first(realm.native.turn(), native.nap(SILENT_MS)) !== 'silent') continue;
        realm.is_gone = true;
        miss('a frame', 'it runs no tasks, so time does not wait for it: nothing is wrong where the page has removed it');
      }
    }
  };

  const grid = () => base + (since_base + 1) * config.frame_ms;
  const run_frame = async (end) => {
    ++frames;
    tasks_left = MOST_TASKS;
    tell_settled();  // Of inputs: since the last frame time has waited for turns enough.
    await run_tasks();
    if (!leaving) await run_timers(native.max(end, now));
    frame_at = now = native.max(end, now);
    if (now === grid()) {
      ++since_base;
    } else {  // Thawed, or moved by reading: frames count from here on.
      base = now;
      since_base = 0;
    }
    await run_hooks('changes');
    await run_hooks('animations');
    if (!leaving) await run_frame_callbacks();
    await run_hooks('observers');
    if (!leaving) await run_tasks();
    if (!leaving) await run_idle_callbacks();
    if (!leaving) await settle_realms();
    await run_hooks('ends');
  };

  // ---- what time waits for
  // Under way until the function that comes back is called, and what waits for its end has run.
  const hold = (what) => {
    const id = ++holds;
    held.set(id, what);
    return () => { native.then(native.nap(0), () => held.delete(id)); };
  };
  // Under way until the promise of make() is settled. The page gets one that follows it: a rejection is unhandled only where the page does not handle it.
  const hold_promise = (what, make) => {
    const release = hold(what);
    try {
      return native.then(make(), (value) => {
        release();
        return value;
      }, (error) => {
        release();
        throw error;
      });
    } catch (error) {
      release();
      throw error;
    }
  };
  const under_way = () => {
    const list = [...held.values()];
    for (const {realm, look} of gates) if (!realm.is_gone) look(list);
    return list;
  };
  // Gives what is still under way after `limit_ms` of real time, at least.
  const wait = async (limit_ms) => {
    const until = native.wall_ms() + limit_ms;
    for (let quiet = 0; quiet < QUIET_TASKS; ++quiet) {
      const list = under_way();
      if (list.length < tolerated) tolerated = list.length;
      if (list.length > tolerated) {
        quiet = -1;
        if (leaving || native.wall_ms() >= until) return list;
      }
      await (quiet < 0 ? native.nap(1) : native.turn());
    }
    return [];
  };

  const run_thawed = async () => {
    let last_ms = 0;
    while (!thaw.is_over) {
      await native.frame(THAWED_MS);
      // A browser without a screen may draw faster than one would.
      if (native.wall_ms() - last_ms < config.frame_ms - SOONER_MS) continue;
      last_ms = native.wall_ms();
      under_way();  // What has loaded is seen from this frame on.
      const wall_ms = native.wall_ms(), end = native.max(now, thaw.now + wall_ms - thaw.wall_ms);
      now = native.max(now, end - THAWED_MS);
      thaw.timers_until = wall_ms + config.frame_ms;
      await run_frame(end);
      await run_hooks('looks');
    }
  };

  // In the middle of a step: its answer may be lost, or come late.
  const tell_frames = () => native.tell('at ' + frames);
  const miss = (what, reason) => missing.set(what, reason);

  return {
    sounds: 0,  // That were begun.
    realms,
    now: () => now,
    calls: () => calls,
    // Of the frame that is under way from its animations on, or of the last one.
    frame_at: () => frame_at,
    read,
    add_hook: (place, realm, run) => { hooks[place].push({realm, run}); },
    run_task,
    add_timer,
    after,
    add_task,
    // Of a message that is posted now; it is given to add_task() when it has arrived.
    order_of_message: () => ++orders,
    on_its_way: (count) => { travelling += count; },
    arrived: (count) => { travelling = native.max(0, travelling - count); },
    add_frame_callback: (entry) => { frame_callbacks.push(entry); },
    add_idle_callback: (entry) => { idle_callbacks.push(entry); },
    miss,
    hold,
    hold_promise,
    add_gate: (realm, look) => { gates.push({realm, look}); },
    // A frame or a worker begins that has a clock of its own: from here on the host steps one frame at a time.
    part: () => { parting = true; },
    // Does somebody look at the frame that runs? Known in its "ends", too.
    is_seen: () => is_seen,
    // What was done to another page is done again from here on, up to where it is false again.
    replay: (is_on) => { is_replaying = is_on; },
    draw_all: () => { draws_all = true; },
    lose_skipping: (reason) => {
      is_skipping_lost = true;
      miss('draw skipping', reason + ': step with draw = "all"');
    },
    tell_frames,
    // A document of its own will follow. The host is told how far this one came, for its last answer may be lost.
    leave: () => {
      if (leaving || thaw !== null) return;
      leaving = true;
      tell_frames();
    },
    // Runs `count` frames, as many as `limit_ms` of real time allow; none beyond the one after which is_met() is true, and none before what
    // is under way has ended. With `tolerates`, what is under way now is waited for no more. `draw`: which of the frames are looked at, "all",
    // "none", or the "last" of the `count`: none where time is over before, and each where is_met() may make it the last.
    step: async ({count, limit_ms, tolerates, stays, draw}, is_met) => {
      const until = native.wall_ms() + limit_ms;
      if (stays) leaving = false;
      if (tolerates) {
        const list = under_way();
        tolerated = list.length;
        for (const what of list) miss(what, 'time did not wait for it: it took more than 10 s; make it faster, or test what it brings in real time');
      }
      let done = 0, met = false, waiting = await wait(limit_ms);
      while (done < count && !met && !leaving && !parting && !waiting.length && (done === 0 || native.wall_ms() < until)) {
        is_seen = draws_all || draw === 'all' || (!is_replaying && draw === 'last' && (is_met !== null || done + 1 === count));
        await run_frame(grid());
        is_seen = true;
        ++done;
        if (done === count) await run_hooks('looks');
        waiting = await wait(native.max(until - native.wall_ms(), 0));
        try {
          met = is_met !== null && Boolean(is_met());
        } catch (error) {
          return {done, frames, now, thrown: String(error)};
        }
        if (met && done < count) {
          await run_hooks('looks');
          await wait(LOOK_MS);
        }
      }
      const parts = parting && !waiting.length;
      if (parts) parting = false;
      return {done, frames, now, met, waiting, leaving, parts, skipping_lost: is_skipping_lost};
    },
    // Time goes on by itself from here on, until freeze(), which ends with a whole frame.
    thaw: () => {
      if (thaw !== null) return;
      thaw = {now, wall_ms: native.wall_ms(), tolerated, timers_until: 0, is_over: false, end: null};
      tolerated = Infinity;
      mark_call();
      thaw.end = run_thawed();
    },
    freeze: async () => {
      if (thaw !== null) {
        thaw.is_over = true;
        await thaw.end;
        ({tolerated} = thaw);
        thaw = null;
      }
      return {frames, now};
    },
    coverage: () => [...missing].map(([what, reason]) => ({what, reason})),
  };
}
