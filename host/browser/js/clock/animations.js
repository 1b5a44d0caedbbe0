// CSS animations, CSS transitions and Web Animations. They stay objects of the browser; the host has set the rate of the documents' timelines to 0,
// so that none of them moves by itself, and each frame sets their positions. What ends by it ends in the browser, too. The browser tells of it in its
// own time: those events are held back, and ours are sent in game time ("update animations and send events", Web Animations 1, 4.4.20).
//
// As in a browser, a frame moves the animations before its frame callbacks, and those that began since count from then on.
({window, clock, realm, patch, native, listen}) => {
  const {document, Animation, CSSAnimation, CSSTransition, Document, DocumentTimeline, Element, EventTarget, ShadowRoot} = window;
  if (!Animation || !document) return;
  const {AnimationEvent, TransitionEvent, AnimationPlaybackEvent, AnimationEffect, KeyframeEffect} = window;
  const {apply} = native.Reflect, {max, min} = native;
  const {getOwnPropertyDescriptor} = window.Object;
  const native_of = (proto, name) => {
    const {get, set, value} = getOwnPropertyDescriptor(proto, name);
    return {get: (self) => apply(get, self, []), set: set && ((self, given) => apply(set, self, [given])), call: value};
  };
  const proto = Animation.prototype;
  const start_time = native_of(proto, 'startTime'), current_time = native_of(proto, 'currentTime'), play_state = native_of(proto, 'playState');
  const playback_rate = native_of(proto, 'playbackRate'), pending = native_of(proto, 'pending'), effect_of = native_of(proto, 'effect');
  const timeline_of = native_of(proto, 'timeline'), timeline_time = native_of(window.AnimationTimeline.prototype, 'currentTime');
  const target_of = native_of(KeyframeEffect.prototype, 'target'), pseudo_of = native_of(KeyframeEffect.prototype, 'pseudoElement');
  const {getComputedTiming} = AnimationEffect.prototype;
  const {getAnimations} = Document.prototype;
  const {getAnimations: getAnimationsOfRoot} = ShadowRoot.prototype;
  const {dispatchEvent} = EventTarget.prototype;

  const at_frame = () => clock.frame_at() - realm.origin;
  // Where the timeline of the document stands for the browser.
  const stand = () => timeline_time.get(document.timeline) ?? 0;

  // ---- the browser's own events are held back
  const hold_back = (event) => { if (event.isTrusted) event.stopImmediatePropagation(); };
  const hold_back_at = (target, types) => { for (const type of types) listen(target, type, hold_back); };
  const PREFIXED = {
    animationstart: 'webkitAnimationStart', animationiteration: 'webkitAnimationIteration', animationend: 'webkitAnimationEnd',
    transitionend: 'webkitTransitionEnd',
  };
  const CANCELS = ['animationcancel', 'transitioncancel'];  // Sent to elements that have left the document, too: no window hears of them.
  const TYPES = [...window.Object.keys(PREFIXED), 'transitionrun', 'transitionstart', ...CANCELS];
  hold_back_at(window, TYPES);

  // These events do not leave a shadow tree, and getAnimations() of the document does not enter it.
  const roots = new window.Set(), deaf = new window.WeakSet();
  patch.method(Element.prototype, 'attachShadow', (self, args, original) => {
    const root = apply(original, self, args);
    roots.add(new window.WeakRef(root));
    hold_back_at(root, TYPES);
    return root;
  });

  // Listeners of the prefixed names hear trusted events that nobody at the same node listens to by the standard's name (DOM, 2.9 "inner invoke").
  const listening = new native.Map();
  for (const [name, prefixed] of window.Object.entries(PREFIXED)) listening.set(name, new window.WeakSet()).set(prefixed, new window.WeakSet());
  patch.method(EventTarget.prototype, 'addEventListener', (self, args, original) => {
    const nodes = listening.get(args[0]);
    if (nodes !== undefined && args[1]) nodes.add(self ?? window);
    return apply(original, self, args);
  });
  const hears = (node, type) => listening.get(type).has(node) || typeof node['on' + type.toLowerCase()] === 'function';
  const is_heard_prefixed = (target, type) => {
    const prefixed = PREFIXED[type];
    if (!prefixed) return false;
    for (let node = target; node; node = node.parentNode ?? (node === document ? window : null))
      if (hears(node, prefixed) && !hears(node, type)) return true;
    return false;
  };

  // ---- the animations that may move
  const records = new window.WeakMap(), moving = new window.Set();
  let order = 0;
  const RANKS = {transition: 0, animation: 1, script: 2};
  const record_of = (animation) => {
    let record = records.get(animation);
    if (record) return record;
    const kind = animation instanceof CSSTransition ? 'transition' : animation instanceof CSSAnimation ? 'animation' : 'script';
    // `at`: the game time that its position is of. Until a frame has seen it play, or pause, it waits; `rate` is what it will have then.
    record = {animation, kind, order: ++order, at: null, is_waiting: true, rate: null, rate_before: 0, when_ready: [],
              state: 'idle', position: null, timing: null, phase: 'idle', iteration: 0, active: 0};
    records.set(animation, record);
    hold_back_at(animation, ['finish', 'cancel']);
    const target = kind === 'script' ? null : target_of.get(effect_of.get(animation));
    if (target && !deaf.has(target)) {
      deaf.add(target);
      hold_back_at(target, CANCELS);
    }
    return record;
  };
  const is_timed = (animation) => timeline_of.get(animation) instanceof DocumentTimeline;
  const add = (animation) => {
    const record = record_of(animation);
    if (is_timed(animation)) moving.add(record);
    return record;
  };
  const add_all = (list) => {
    for (let i = 0; i < list.length; ++i) {
      const record = records.get(list[i]);
      // One that has ended and still shows is listed, too.
      if (record === undefined || (!moving.has(record) && play_state.get(list[i]) === 'running')) add(list[i]);
    }
  };
  // After each task: style is up to date, as if the browser had shown a picture here. It may have, and whether it did must not be seen: a transition
  // begins where two styles follow each other.
  clock.add_hook('settled', realm, () => {
    const list = apply(getAnimations, document, []);
    if (list.length !== 0) add_all(list);
    for (const one of roots) {
      const root = one.deref();
      root ? add_all(apply(getAnimationsOfRoot, root, [])) : roots.delete(one);
    }
  });

  // ---- a frame
  // Web Animations 1, 4.5.5 "animation effect phases".
  const phase_at = (position, {delay, endTime, activeDuration}, rate) => {
    if (position === null) return 'idle';
    const start = max(min(delay, endTime), 0), end = max(min(delay + activeDuration, endTime), 0);
    if (position < start || (rate < 0 && position === start)) return 'before';
    return position > end || (rate >= 0 && position === end) ? 'after' : 'active';
  };
  const move = (record, now) => {
    const {animation, timing} = record, elapsed = record.at === null ? 0 : now - record.at;
    record.at = now;
    record.is_waiting = false;
    for (const done of record.when_ready.splice(0)) done(animation);
    if (record.state !== 'running') {
      // Makes a pause that is pending happen.
      if (record.state === 'paused' && pending.get(animation)) current_time.set(animation, record.position);
      return;
    }
    const rate = record.rate ?? playback_rate.get(animation);
    let position = record.position + elapsed * (record.rate === null ? rate : record.rate_before);
    record.rate = null;
    if (rate > 0 && position > timing.endTime) position = max(record.position, timing.endTime);
    if (rate < 0 && position < 0) position = min(record.position, 0);
    record.position = position;
    // As the start, since an animation that has one is no longer pending: its `ready` is game time, too.
    start_time.set(animation, rate === 0 ? stand() : stand() - position / rate);
  };

  // CSS Animations 2, 4.2 and CSS Transitions 2, 6: what a change of phase tells.
  const START_END = ['start', 'end'];
  const ANIMATION_EVENTS = {
    idle: {active: ['start'], after: START_END}, before: {idle: ['cancel'], active: ['start'], after: START_END},
    active: {idle: ['cancel'], before: ['end'], after: ['end']}, after: {active: ['start'], before: START_END},
  };
  const TRANSITION_EVENTS = {
    ...ANIMATION_EVENTS, idle: {before: ['run'], active: ['run', 'start'], after: ['run', ...START_END]},
  };
  const tell_phases = (record, now, events) => {
    const {kind, timing, position} = record;
    const rate = playback_rate.get(record.animation), before = record.phase, phase = phase_at(position, timing, rate);
    const {delay, activeDuration, duration} = timing;
    const active = position === null ? record.active : max(min(position - delay, activeDuration), 0);
    const iteration = phase === 'active' && duration > 0 ? window.Math.floor(active / duration + timing.iterationStart) : record.iteration;
    const first = max(min(-delay, activeDuration), 0);
    const tell = (what, elapsed, at) => events.push({record, type: kind + what, elapsed, at});
    const when = (point) => position === null || rate === 0 ? now : now - (position - point) / rate;
    const changes = (kind === 'transition' ? TRANSITION_EVENTS : ANIMATION_EVENTS)[before]?.[phase] ?? [];
    for (const what of changes) {
      const is_back = before === 'after' || phase === 'before';
      const is_at_end = (what === 'end') !== is_back;
      if (what === 'cancel') tell(what, record.active, now);
      else if (what === 'run') tell(what, first, -1);
      else tell(what, is_at_end ? activeDuration : first, when(is_at_end ? delay + activeDuration : delay));
    }
    if (kind === 'animation' && before === 'active' && phase === 'active' && iteration !== record.iteration) {
      const boundary = (max(iteration, record.iteration) - timing.iterationStart) * duration;
      tell('iteration', boundary, when(delay + boundary));
    }
    record.phase = phase;
    record.active = active;
    record.iteration = iteration;
  };

  const send = ({record: {animation, kind}, type, elapsed, position, now}) => {
    if (kind === 'script' || elapsed === undefined) {
      return apply(dispatchEvent, animation, [new AnimationPlaybackEvent(type, {currentTime: position, timelineTime: now})]);
    }
    const effect = effect_of.get(animation), target = effect && target_of.get(effect);
    if (!target) return;
    const made = (name) => {
      const facts = {bubbles: true, cancelable: false, elapsedTime: elapsed / 1000, pseudoElement: pseudo_of.get(effect) ?? '', animation};
      return kind === 'transition' ? new TransitionEvent(name, {...facts, propertyName: animation.transitionProperty}) :
                                     new AnimationEvent(name, {...facts, animationName: animation.animationName});
    };
    const prefixed = is_heard_prefixed(target, type) ? PREFIXED[type] : null;
    apply(dispatchEvent, target, [made(type)]);
    if (prefixed) apply(dispatchEvent, target, [made(prefixed)]);
  };
  const send_all = async (events) => {
    events.sort((a, b) => a.at - b.at || RANKS[a.record.kind] - RANKS[b.record.kind] || a.record.order - b.record.order);
    await native.turn();  // What waits for the promises of animations that ended comes first.
    for (const event of events) await clock.run_task(realm, send, event);
  };

  clock.add_hook('animations', realm, () => {
    if (moving.size === 0) return undefined;
    const now = at_frame(), events = [];
    // All is read before anything is set: for animations of CSS each reading would bring style up to date again.
    for (const record of moving) {
      const {animation} = record, effect = effect_of.get(animation);
      record.was = record.state;
      record.state = play_state.get(animation);
      record.position = current_time.get(animation);
      if (effect) record.timing = apply(getComputedTiming, effect, []);
      else moving.delete(record);
    }
    for (const record of moving) move(record, now);
    for (const record of moving) {
      const {animation, was, position} = record;
      if (record.kind !== 'script') tell_phases(record, now, events);
      if (record.state === 'running') {
        const rate = playback_rate.get(animation);
        if ((rate > 0 && position >= record.timing.endTime) || (rate < 0 && position <= 0)) record.state = 'finished';
      }
      const {state} = record;
      if (state !== was && state === 'finished') events.push({record, type: 'finish', at: now, position, now});
      if (state === 'idle' && was !== 'idle') events.push({record, type: 'cancel', at: now, position: null, now});
      if (state !== 'running' && state !== 'paused') moving.delete(record);
    }
    return events.length === 0 ? undefined : send_all(events);
  });
  // What began in this frame's callbacks counts from this frame on.
  clock.add_hook('observers', realm, () => {
    for (const record of moving) record.at ??= at_frame();
  });

  // ---- animations within SVG (SMIL): the browser, which is started so that GIFs stand still (imageAnimationPolicy), does not let these move, either
  listen(window, 'load', () => {
    const is_there = ['animate', 'animateTransform', 'animateMotion'].some((name) => document.getElementsByTagName(name).length > 0);
    if (is_there) clock.miss('animations within SVG', 'they stand still: look at them in real time');
  });

  // ---- what a page does with them by itself
  patch.method(Element.prototype, 'animate', (self, args, original) => {
    const animation = apply(original, self, args);
    add(animation);
    return animation;
  });
  const after = (name, then) => patch.method(proto, name, (self, args, original) => {
    const result = apply(original, self, args);
    then(add(self), args);
    return result;
  });
  const waits = (record) => {
    record.is_waiting = true;
    if (record.state !== 'running') record.at = null;
  };
  for (const name of ['play', 'pause']) after(name, waits);
  for (const name of ['finish', 'cancel']) after(name, (record) => { record.rate = null; });
  const rate_of = (animation) => records.get(animation)?.rate ?? playback_rate.get(animation);
  const held_rate = (name, next_rate) => patch.method(proto, name, (self, args, original) => {
    const record = record_of(self), before = record.rate === null ? rate_of(self) : record.rate_before, rate = next_rate(rate_of(self), args);
    apply(original, self, args);
    add(self);
    waits(record);
    record.rate_before = before;
    record.rate = rate;
  });
  held_rate('reverse', (rate) => -rate);
  held_rate('updatePlaybackRate', (_, [rate]) => window.Number(rate));
  patch.accessor(proto, 'playbackRate', rate_of, (self, rate, set) => {
    set(rate);
    add(self).rate = null;
  });
  patch.accessor(proto, 'pending', (self, is_pending) => is_pending || (moving.has(records.get(self)) && records.get(self).is_waiting));
  // The browser's is kept at a frame of its own.
  patch.accessor(proto, 'ready', (self, ready) => {
    const record = records.get(self);
    if (!record?.is_waiting || !moving.has(record)) return ready;
    if (record.ready_of !== ready) {
      record.ready_of = ready;
      record.ready = new window.Promise((done, failed) => {
        record.when_ready.push(done);
        native.then(ready, null, failed);
      });
    }
    return record.ready;
  });
  for (const name of ['currentTime', 'effect', 'timeline']) {
    patch.accessor(proto, name, null, (self, value, set) => {
      set(value);
      add(self);
    });
  }
  // In the browser it is a time of the timeline that stands still.
  patch.accessor(proto, 'startTime', (self, ms) => {
    const record = records.get(self);
    if (typeof ms !== 'number' || !is_timed(self)) return ms;
    return record?.at === null ? null : (record?.at ?? at_frame()) - (stand() - ms);
  }, (self, ms, set) => {
    if (ms === null || !is_timed(self)) return set(ms);
    set(stand() - (at_frame() - ms));
    add(self).at = at_frame();
  });
  patch.accessor(window.AnimationTimeline.prototype, 'currentTime',
                 (self, ms) => ms === null || !(self instanceof DocumentTimeline) ? ms : at_frame());
}
