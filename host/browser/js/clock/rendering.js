// What the browser tells in its rendering steps (HTML, 8.1.7.3 "update the rendering"): resize, scroll, media queries, resize and intersection
// observers, frames of videos. It draws in its own time, so what it tells then is held, and handed on in the frame of the game, in the order of the
// standard. Only where something of it is due does a frame of the game wait for one of the browser.
//
// Caret, smooth scrolling, visibility and focus of the window, which the browser also moves by itself, stand still.
({window, clock, realm, patch, native, listen}) => {
  const {document, CSSStyleSheet, Document, Element, Event, EventTarget, HTMLElement, Map, Set, WeakMap, parseFloat} = window;
  if (!document) return;
  const {apply, construct} = native.Reflect;
  const {getOwnPropertyDescriptor} = window.Object;
  const {dispatchEvent} = EventTarget.prototype;
  const getter = (owner, name) => getOwnPropertyDescriptor(owner, name).get;
  const {getBoundingClientRect} = Element.prototype;
  const computed_style = window.getComputedStyle;
  const offset_width = getter(HTMLElement.prototype, 'offsetWidth'), offset_height = getter(HTMLElement.prototype, 'offsetHeight');
  const inner_width = getter(window, 'innerWidth'), inner_height = getter(window, 'innerHeight');
  const send = (target, event) => clock.run_task(realm, () => apply(dispatchEvent, target, [event]));
  const hold = (target, type, held) => listen(target, type, (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    held(event);
  });

  // ---- resize, scroll, media queries
  let is_scrolled = false, is_wheeled = false, hears_scroll = false;
  let width = apply(inner_width, window, []), height = apply(inner_height, window, []);
  const resized = new Set(), scrolled = new Map(), changed = new Map();
  hold(window, 'resize', () => resized.add(window));
  if (window.visualViewport) {
    hold(window.visualViewport, 'resize', () => resized.add(window.visualViewport));
    hold(window.visualViewport, 'scroll', () => scrolled.set(window.visualViewport, 'scroll'));
  }
  for (const type of ['scroll', 'scrollend']) hold(window, type, ({target}) => scrolled.set(target, scrolled.get(target) ?? type));
  patch.method(EventTarget.prototype, 'addEventListener', (self, args, original) => {
    if (args[0] === 'scroll' || args[0] === 'scrollend') hears_scroll = true;
    return apply(original, self, args);
  });
  const hears_scrolling = () => hears_scroll || window.onscroll !== null || document.onscroll !== null;
  listen(window, 'wheel', (event) => { if (event.isTrusted) is_scrolled = is_wheeled = true; });
  listen(window, 'keydown', (event) => { if (event.isTrusted && hears_scrolling()) is_scrolled = true; });

  // In the browser's own time is what "smooth" means.
  const at_once = (given) => given !== null && typeof given === 'object' && given.behavior === 'smooth' ? {...given, behavior: 'instant'} : given;
  const scrolls = (owner, name) => patch.method(owner, name, (self, args, original) => {
    is_scrolled = true;
    return apply(original, self, window.Array.prototype.map.call(args, at_once));
  });
  for (const name of ['scroll', 'scrollTo', 'scrollBy']) {
    scrolls(window, name);
    scrolls(Element.prototype, name);
  }
  for (const name of ['scrollIntoView', 'scrollIntoViewIfNeeded']) scrolls(Element.prototype, name);
  for (const name of ['scrollTop', 'scrollLeft']) {
    patch.accessor(Element.prototype, name, null, (self, value, set) => {
      is_scrolled = true;
      set(value);
    });
  }

  const {MediaQueryListEvent} = window;
  const queries = new window.WeakSet();
  patch.method(window, 'matchMedia', (self, args, original) => {
    const list = apply(original, self, args);
    if (!queries.has(list)) {
      queries.add(list);
      hold(list, 'change', ({media, matches}) => changed.set(list, {media, matches}));
    }
    return list;
  });

  const taken = (held) => {
    const list = [...held];
    held.clear();
    return list;
  };
  const tell_changes = async (is_due) => {
    if (is_due) await native.frame();
    for (const target of taken(resized)) await send(target, new Event('resize'));
    for (const [target, type] of taken(scrolled)) {
      if (type === 'scroll') await send(target, new Event('scroll', {bubbles: target === document}));
      await send(target, new Event('scrollend', {bubbles: target === document}));
    }
    for (const [list, facts] of taken(changed)) await send(list, new MediaQueryListEvent('change', facts));
  };
  clock.add_hook('changes', realm, () => {
    const is_resized = width !== apply(inner_width, window, []) || height !== apply(inner_height, window, []);
    const is_due = is_resized || (is_scrolled && (is_wheeled || hears_scrolling()));
    is_scrolled = is_wheeled = false;
    if (is_resized) {
      width = apply(inner_width, window, []);
      height = apply(inner_height, window, []);
    }
    return is_due || resized.size || scrolled.size || changed.size ? tell_changes(is_due) : undefined;
  });

  // ---- observers
  // Takes the place of a kind of observer. Of each target it keeps what the callback has heard last.
  const observers_of = (name, key_of, look) => {
    const Original = window[name], active = new Set(), states = new WeakMap();
    if (!Original) return {active};
    const Observer = function(callback, ...rest) {
      if (!new.target || typeof callback !== 'function') return new Original(callback, ...rest);  // Says what is wrong.
      const entries = new Map();
      const observer = construct(Original, [(list) => list.forEach((entry) => entries.set(entry.target, entry)), ...rest], new.target);
      states.set(observer, {observer, callback, entries, targets: new Map()});
      return observer;
    };
    patch.constructor(window, name, Observer);
    const {observe, unobserve} = Original.prototype;
    const method = (called, then) => patch.method(Original.prototype, called, (self, args, original) => {
      const result = apply(original, self, args), state = states.get(self);
      return state ? then(state, args, result) : result;
    });
    method('observe', (state, args) => {
      state.targets.set(args[0], {args, look: null, key: null});
      active.add(state);
    });
    method('unobserve', (state, [target]) => {
      state.targets.delete(target);
      state.entries.delete(target);
      if (!state.targets.size) active.delete(state);
    });
    method('disconnect', (state) => {
      state.targets.clear();
      state.entries.clear();
      active.delete(state);
    });
    method('takeRecords', ({entries}, args, list) => {
      for (const entry of list) entries.set(entry.target, entry);
      return taken(entries).map(([, entry]) => entry);
    });

    // What the browser has told before may be of a moment in between: it is asked anew where something is due.
    const ask = () => {
      let is_due = false;
      for (const state of active) {
        for (const [target, told] of state.targets) {
          const held = state.entries.get(target), is_news = held !== undefined && key_of(held, state.observer) !== told.key;
          if (told.look === look(state.observer, target) && !is_news) continue;
          is_due = true;
          state.entries.delete(target);
          apply(unobserve, state.observer, [target]);
          apply(observe, state.observer, told.args);
        }
      }
      return is_due;
    };
    const tell = async () => {
      for (const state of [...active]) {
        const list = [];
        for (const [target, told] of state.targets) {
          const entry = state.entries.get(target), key = entry ? key_of(entry, state.observer) : told.key;
          if (told.key !== key) list.push(entry);
          told.key = key;
          told.look = look(state.observer, target);
        }
        state.entries.clear();
        if (list.length) await clock.run_task(realm, () => apply(state.callback, state.observer, [list, state.observer]));
      }
    };
    const is_held = () => {
      for (const {entries} of active) if (entries.size) return true;
      return false;
    };
    return {active, ask, is_held, tell};
  };

  // Of what the browser compares, as much as can be read without its frame: sizes of boxes, whatever transforms do with them.
  const styles = new WeakMap();
  const look_at_size = (observer, target) => {
    let style = styles.get(target);
    if (!style) styles.set(target, style = apply(computed_style, window, [target]));
    const boxes = target instanceof HTMLElement ? apply(offset_width, target, []) + ' ' + apply(offset_height, target, []) : '';
    return style.width + ' ' + style.height + ' ' + boxes;
  };
  const size_key = ({contentRect: {width, height}, borderBoxSize: [box]}) => [width, height, box?.inlineSize, box?.blockSize].join();
  const resize = observers_of('ResizeObserver', size_key, look_at_size);

  // Which thresholds are passed, as far as the root alone tells; where something else clips the target, any move counts.
  const clips = new WeakMap();
  const is_clipped = (target, root) => {
    for (let up = target.parentElement; up && up !== root && up !== document.body && up !== document.documentElement; up = up.parentElement)
      if (apply(computed_style, window, [up]).overflow !== 'visible') return true;
    return false;
  };
  const look_at_place = (observer, target) => {
    const {x, y, width: wide, height: high} = apply(getBoundingClientRect, target, []), {root} = observer;
    if (!clips.has(target)) clips.set(target, is_clipped(target, root));
    if (clips.get(target) || observer.trackVisibility) return [x, y, wide, high].join();
    const box = root instanceof Element ? apply(getBoundingClientRect, root, []) : {x: 0, y: 0, width, height};
    const margin = observer.rootMargin.split(' ').map((part, i) =>
        parseFloat(part) * (part.endsWith('%') ? (i % 2 ? box.width : box.height) / 100 : 1));
    const across = native.min(x + wide, box.x + box.width + margin[1]) - native.max(x, box.x - margin[3]);
    const down = native.min(y + high, box.y + box.height + margin[2]) - native.max(y, box.y - margin[0]);
    if (across < 0 || down < 0) return 'out';
    const ratio = wide * high > 0 ? across * down / (wide * high) : 1;
    return 'in ' + passed_of(observer, ratio);
  };
  const passed_of = ({thresholds}, ratio) => {
    let passed = 0;
    for (const threshold of thresholds) if (ratio >= threshold) ++passed;
    return passed;
  };
  const place_key = ({isIntersecting, intersectionRatio}, observer) => isIntersecting ? 'in ' + passed_of(observer, intersectionRatio) : 'out';
  const intersection = observers_of('IntersectionObserver', place_key, look_at_place);
  const times = new WeakMap();
  patch.accessor(window.IntersectionObserverEntry?.prototype, 'time', (entry) => {
    if (!times.has(entry)) times.set(entry, clock.frame_at() - realm.origin);
    return times.get(entry);
  });

  const tell_observers = async (is_due) => {
    if (is_due) await native.frame();
    if (resize.active.size) await resize.tell();
    if (intersection.active.size) await intersection.tell();
  };
  clock.add_hook('observers', realm, () => {
    if (resize.active.size + intersection.active.size === 0) return undefined;
    const is_due = [resize, intersection].filter(({active, ask}) => active.size && ask()).length > 0;
    const is_held = () => [resize, intersection].some(({active, is_held}) => active.size && is_held());
    return is_due || is_held() ? tell_observers(is_due) : undefined;
  });

  // ---- frames of videos: a video that has moved on since its last callback shows another one
  const watched = new Map(), shown = new WeakMap();
  let videos = 0;
  patch.method(window.HTMLVideoElement?.prototype, 'requestVideoFrameCallback', (video, [callback, ...rest], original) => {
    if (typeof callback !== 'function') return apply(original, video, [callback, ...rest]);
    watched.set(++videos, {video, callback});
    return videos;
  });
  patch.method(window.HTMLVideoElement?.prototype, 'cancelVideoFrameCallback', (video, [id]) => { watched.delete(window.Number(id)); });
  const show_videos = async (due) => {
    const now = clock.frame_at() - realm.origin, told = new Set();
    for (const [id, {video, callback}] of due) {
      if (!watched.delete(id)) continue;
      const facts = shown.get(video) ?? {frames: 0};
      if (!told.has(video)) shown.set(video, {frames: ++facts.frames, at: video.currentTime});
      told.add(video);
      const given = {presentationTime: now, expectedDisplayTime: now, width: video.videoWidth, height: video.videoHeight,
                     mediaTime: video.currentTime, presentedFrames: facts.frames, processingDuration: 0};
      await clock.run_task(realm, () => apply(callback, video, [now, given]));
    }
  };
  clock.add_hook('animations', realm, () => {
    if (watched.size === 0) return undefined;
    const due = [...watched].filter(([, {video}]) => video.readyState >= 2 && shown.get(video)?.at !== video.currentTime);
    return due.length ? show_videos(due) : undefined;
  });

  // ---- what stands still
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':root, * { caret-color: transparent !important; scroll-behavior: auto !important }');
  document.adoptedStyleSheets.push(sheet);
  patch.accessor(Document.prototype, 'adoptedStyleSheets', null, (self, sheets, set) => set(self === document ? [...sheets, sheet] : sheets));

  for (const name of ['hidden', 'webkitHidden']) patch.accessor(Document.prototype, name, () => false);
  for (const name of ['visibilityState', 'webkitVisibilityState']) patch.accessor(Document.prototype, name, () => 'visible');
  patch.method(Document.prototype, 'hasFocus', () => true);
  for (const type of ['visibilitychange', 'webkitvisibilitychange']) hold(window, type, () => {});

  // The window gains and loses focus by what the host puts into the page and by what the page does itself, and by nothing else.
  const causes = (owner, name) => patch.method(owner, name, (self, args, original) => {
    clock.causes_focus = (clock.causes_focus ?? 0) + 1;
    try {
      return apply(original, self, args);
    } finally {
      --clock.causes_focus;
    }
  });
  for (const name of ['focus', 'blur']) {
    causes(window, name);
    causes(HTMLElement.prototype, name);
    listen(window, name, (event) => {
      if (event.isTrusted && !clock.causes_focus && (event.target === window || event.target === document)) event.stopImmediatePropagation();
    });
  }
  for (const type of ['mousedown', 'keydown', 'touchend', 'click']) {
    listen(window, type, (event) => {
      if (!event.isTrusted) return;
      clock.causes_focus = (clock.causes_focus ?? 0) + 1;
      native.then(native.turn(), () => { --clock.causes_focus; });
    });
  }
}
