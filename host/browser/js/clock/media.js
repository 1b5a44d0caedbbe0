// Audio and video elements in game time. The browser loads them and never plays them: their position follows the clock, and what they tell of playing
// are events of the clock's own, in the order of HTML (4.8.11) and, where that leaves it open, of Chromium 156. The picture of a video follows by
// seeking the browser's element: at the end of a step, and in each frame where the page draws it itself.
({window, clock, realm, patch, native, config}) => {
  const {Audio, DOMException, Element, Event, EventTarget, HTMLMediaElement, HTMLVideoElement, Promise, Set, WeakMap, WeakSet, document} = window;
  if (!HTMLMediaElement) return;
  const {apply, construct} = native.Reflect, {getOwnPropertyDescriptor} = window.Object, {isFinite} = window.Number;
  const {addEventListener, dispatchEvent} = EventTarget.prototype, {min, max, abs} = window.Math;
  const media = HTMLMediaElement.prototype, {load: load_natively, pause: pause_natively} = media;
  const EMPTY = 0, LOADING = 2, NO_SOURCE = 3, HAVE_METADATA = 1, HAVE_FUTURE_DATA = 3, HAVE_ENOUGH_DATA = 4, NOT_SUPPORTED = 4;
  const TIMEUPDATE_MS = 250, SAME_PICTURE_S = 0.0005;
  const PICTURE_MS = 50, LONGEST_LOAD_MS = 9000;  // Of real time; what takes longer is a stream.

  const facts = {};
  for (const name of ['autoplay', 'currentTime', 'duration', 'error', 'loop', 'networkState', 'playbackRate', 'preload', 'readyState', 'seeking',
                      'srcObject'])
    facts[name] = getOwnPropertyDescriptor(media, name);
  const get = (element, name) => apply(facts[name].get, element, []);
  const put = (element, name, value) => { apply(facts[name].set, element, [value]); };
  const is_media = (value) => value instanceof HTMLMediaElement;
  const is_video = (element) => element instanceof HTMLVideoElement;

  const states = clock.media ??= new WeakMap();
  const loading = new Set();                        // Elements that load or seek, in this order.
  const moving = new Set(), drawn = new WeakSet();  // Videos that play; videos that the page draws itself.

  const dispatch = (element, type) => apply(dispatchEvent, element, [new Event(type)]);
  const queue = (element, ...types) => { for (const type of types) clock.after(realm, () => dispatch(element, type)); };
  // `then` when what the element loads or seeks is there, as seen from the game: with the next frame, in one order for all elements.
  const when_there = (element, state, then) => {
    if (loading.has(element)) state.waiters.push(then);
    else clock.after(realm, then);
  };

  // ---- what of loading can be seen, in a frame: as it was at its beginning
  const ready_state = (element, state) => {
    if (state.held) return 0;
    if (!state.is_loaded || !loading.has(element)) return get(element, 'readyState');
    return state.is_seeking ? HAVE_METADATA : HAVE_ENOUGH_DATA;
  };
  const duration = (element, state) => state.held ? NaN : get(element, 'duration');

  // ---- position
  const position = (element, state, ms = clock.now()) => {
    const seconds = state.is_moving ? state.position + (ms - state.since) / 1000 * get(element, 'playbackRate') : state.position;
    const length = duration(element, state);
    if (!isFinite(length)) return seconds;
    return state.is_moving && length > 0 && state.loops ? seconds % length : min(seconds, length);
  };
  const stay = (element, state, at = position(element, state)) => {
    state.position = at;
    state.since = clock.now();
  };
  const is_at_end = (element, state) =>
      ready_state(element, state) >= HAVE_METADATA && !state.loops && position(element, state) >= duration(element, state);

  // ---- the picture of a video
  const show = (element, seconds) => {
    if (get(element, 'readyState') < HAVE_METADATA || abs(get(element, 'currentTime') - seconds) < SAME_PICTURE_S) return;
    const state = states.get(element);
    add_loading(element, state);
    put_picture(element, state, seconds);
  };
  // At `seeked` the picture may be the one before, also for drawImage(). The browser does not say each time that the new one is there: then it is
  // asked again.
  const put_picture = (element, state, seconds) => {
    put(element, 'currentTime', seconds);
    const picture = ++state.pictures;
    state.picture_since = native.wall_ms();
    state.is_shown = false;
    apply(native.request_picture, element, [() => { if (state.pictures === picture) state.is_shown = true; }]);
  };
  const is_shown = (element, state) => {
    if (get(element, 'seeking')) return false;
    if (!state.is_shown && native.wall_ms() - state.picture_since > PICTURE_MS) put_picture(element, state, get(element, 'currentTime'));
    return state.is_shown;
  };

  // ---- moving
  const set_moving = (element, state, is_moving) => {
    stay(element, state);
    state.is_moving = is_moving;
    state.wake.is_off = true;
    if (is_moving) arm(element, state);
    if (!is_video(element)) return;
    is_moving ? moving.add(element) : moving.delete(element);
    if (!is_moving) show(element, state.position);
  };
  // The next `timeupdate`, or the end.
  const arm = (element, state) => {
    state.wake.is_off = true;
    const rate = get(element, 'playbackRate');
    if (!state.is_moving || !(rate > 0)) return;
    const length = duration(element, state);
    const left = isFinite(length) ? max(0, length - state.position) / rate * 1000 : Infinity;
    state.wake = clock.after(realm, () => {
      if (left > TIMEUPDATE_MS) {
        stay(element, state);
        arm(element, state);
      } else if (state.loops && length > 0) {
        stay(element, state, 0);
        return found(element, state);
      } else {
        state.position = length;
        state.is_paused = true;
        state.is_moving = false;
        set_moving(element, state, false);
        queue(element, 'pause', 'ended');
      }
      dispatch(element, 'timeupdate');
    }, min(TIMEUPDATE_MS, left));
  };

  // ---- seeking
  const seek = (element, state, seconds) => {
    if (ready_state(element, state) < HAVE_METADATA) {
      state.position = seconds;
      return;
    }
    const length = duration(element, state);
    stay(element, state, max(0, isFinite(length) ? min(seconds, length) : seconds));
    if (is_video(element)) show(element, state.position);
    found(element, state);
  };
  // What is told of a seek; a loop is one, too.
  const found = (element, state) => {
    const id = ++state.seeks;
    state.is_seeking = true;
    queue(element, 'seeking');
    if (state.is_moving) queue(element, 'waiting');
    state.wake.is_off = true;
    when_there(element, state, () => {
      if (state.seeks !== id) return;
      state.is_seeking = false;
      queue(element, 'timeupdate', 'seeked', 'canplay', ...(state.is_moving ? ['playing'] : []), 'canplaythrough');
      clock.after(realm, () => { if (state.seeks === id) arm(element, state); });
    });
  };

  // ---- playing
  const is_ready = (element, state) => state.is_ready ||= !loading.has(element) && get(element, 'readyState') >= HAVE_FUTURE_DATA;
  const settle_with = (state, settle) => {
    const asked = state.asked;
    state.asked = [];
    if (asked.length) clock.after(realm, () => asked.forEach(settle));
  };
  const refuse = (state, what, name) => settle_with(state, ({failed}) => failed(new DOMException(what, name)));
  const begin_playing = (element, state) => {
    set_moving(element, state, true);
    queue(element, 'playing');
    settle_with(state, ({done}) => done());
  };
  const play = (element, state) => {
    state.can_autoplay = false;
    if (get(element, 'preload') === 'none') {
      put(element, 'preload', 'auto');
      add_loading(element, state);
    }
    if (is_at_end(element, state)) seek(element, state, 0);
    if (!state.is_paused) {
      if (state.is_moving) settle_with(state, ({done}) => done());
      return;
    }
    state.is_paused = false;
    ++clock.sounds;
    queue(element, 'play');
    if (is_ready(element, state)) return begin_playing(element, state);
    queue(element, 'waiting');
    const {loads} = state;
    when_there(element, state, () => { if (state.loads === loads) go_on(element, state); });
  };
  const go_on = (element, state) => {
    if (state.is_paused || state.is_moving) return;
    if (is_ready(element, state)) begin_playing(element, state);
    else if (get(element, 'error')) refuse(state, 'Failed to load because no supported source was found.', 'NotSupportedError');
  };
  const pause = (element, state) => {
    state.can_autoplay = false;
    if (state.is_paused) return;
    state.is_paused = true;
    set_moving(element, state, false);
    queue(element, 'timeupdate', 'pause');
    refuse(state, 'The play() request was interrupted by a call to pause().', 'AbortError');
  };
  const autoplay = (element, state) => {
    if (!get(element, 'autoplay')) return;
    if (get(element, 'preload') === 'none') put(element, 'preload', 'auto');
    const {loads} = state;
    when_there(element, state, () => {
      const may_play = state.loads === loads && state.can_autoplay && state.is_paused && get(element, 'autoplay');
      if (may_play && is_ready(element, state)) play(element, state);
    });
  };

  // ---- loading: what a page sees of it changes only between frames
  const add_loading = (element, state) => {
    state.loading_since = native.wall_ms();
    loading.add(element);
  };
  // The media element load algorithm has run, or runs.
  const begin_loading = (element, state) => {
    ++state.loads;
    ++state.seeks;
    state.wake.is_off = true;
    moving.delete(element);
    state.is_paused = state.can_autoplay = true;
    state.is_moving = state.is_ready = state.is_seeking = state.is_begun = state.is_loaded = false;
    state.waiters = [];
    if (state.position > 0) queue(element, 'timeupdate');
    state.position = 0;
    refuse(state, 'The play() request was interrupted by a new load request.', 'AbortError');
    go_on_loading(element, state);
  };
  // Also where nothing that came before is given up: sources within the element were added, and the browser chooses one.
  const go_on_loading = (element, state) => {
    // The load event of a document waits for its media: until then their events come as the browser sends them.
    state.held = document.readyState === 'complete' && !get(element, 'srcObject') ? [] : null;
    apply(pause_natively, element, []);  // It does not play by itself then.
    loading.delete(element);
    add_loading(element, state);
    autoplay(element, state);
  };
  // Chromium takes a video that loops back to its beginning when its last picture is sought: it does not know of the loop.
  const set_loop = (element, state, loops) => {
    state.loops = loops;
    if (is_video(element)) put(element, 'loop', false);
  };
  const preload_all = (element, state) => {
    state.preload = get(element, 'preload');
    if (state.preload !== 'none') put(element, 'preload', 'auto');
  };
  const is_awaited = (element, state) => {
    if (native.wall_ms() - state.loading_since > LONGEST_LOAD_MS) {
      const what = is_video(element) ? 'a video' : 'a sound';
      clock.miss(what, 'time did not wait for it: it took too long; serve it whole, not as a stream, or test it in real time');
      return false;
    }
    if (!is_shown(element, state)) return true;
    const network = get(element, 'networkState');
    if (state.is_loaded || network === EMPTY || get(element, 'srcObject') || element.loading === 'lazy') return false;
    if (network === NO_SOURCE) return !state.is_begun || get(element, 'error') !== null;  // Else the last of its sources has failed.
    return network === LOADING || get(element, 'preload') !== 'none';
  };
  const let_see = (element, state) => {
    const {held, waiters} = state;
    loading.delete(element);
    state.held = null;
    state.waiters = [];
    state.is_shown = true;
    if (held) queue(element, ...held);
    for (const then of waiters) clock.after(realm, then);
  };
  clock.add_gate(realm, (waiting) => {
    if (!loading.size) return;
    let is_over = true;
    for (const element of loading) {
      if (!is_awaited(element, states.get(element))) continue;
      is_over = false;
      waiting.push(is_video(element) ? 'a video' : 'a sound');
    }
    if (is_over) for (const element of [...loading]) let_see(element, states.get(element));
  });

  // ---- events of the browser's own
  const loading_types = ['loadstart', 'abort', 'emptied', 'durationchange', 'loadedmetadata', 'resize', 'loadeddata', 'canplay', 'canplaythrough',
                         'error'];
  // How often the browser tells of progress depends on how fast it is.
  const playing_types = ['play', 'playing', 'waiting', 'pause', 'timeupdate', 'ended', 'seeking', 'seeked', 'ratechange', 'volumechange', 'progress',
                         'stalled', 'suspend'];
  const is_of_loading = new Set(loading_types);
  const on_event = (event) => {
    const element = event.target;
    if (!event.isTrusted || !is_media(element)) return;
    const state = meet(element), {type} = event;
    const is_again = state.is_loaded && (type === 'loadeddata' || type === 'canplay' || type === 'canplaythrough');  // After a seek.
    if (is_of_loading.has(type) && !is_again) {
      if (type === 'loadstart') {
        if (state.loads === 0 && !loading.has(element)) go_on_loading(element, state);
        state.is_begun = true;
        apply(pause_natively, element, []);
      }
      const ends = type === 'canplaythrough' || type === 'error';
      if (!state.held) {
        // On the window the listeners of the element are still to come.
        if (ends) native.then(native.nap(0), () => { state.is_loaded = true; });
        if (type === 'canplay') clock.after(realm, () => go_on(element, state));  // What time did not wait for.
        return;
      }
      if (type === 'loadeddata') state.held.push('progress', 'suspend');
      state.held.push(type);
      if (ends) state.is_loaded = true;
    } else if (type === 'play') {
      // By the browser's own controls.
      apply(pause_natively, element, []);
      play(element, state);
    }
    event.stopImmediatePropagation();
  };
  const listen = (target) => {
    for (const types of [loading_types, playing_types]) for (const type of types) apply(addEventListener, target, [type, on_event, true]);
  };
  listen(window);

  const meet = (element) => {
    let state = states.get(element);
    if (state) return state;
    state = {loads: 0, seeks: 0, position: 0, since: 0, asked: [], wake: {}, preload: '', loops: false, can_autoplay: true, is_paused: true,
             is_moving: false, is_ready: false, is_seeking: false, is_begun: false, is_loaded: false, loading_since: 0, held: null,
             waiters: [], pictures: 0, picture_since: 0, is_shown: true};
    states.set(element, state);
    listen(element);
    preload_all(element, state);
    set_loop(element, state, get(element, 'loop'));
    state.is_loaded = get(element, 'readyState') >= HAVE_ENOUGH_DATA || get(element, 'error') !== null;
    if (state.is_loaded) state.loads = 1;
    else if (get(element, 'networkState') !== EMPTY) begin_loading(element, state);
    watch_attributes();
    if (is_video(element)) watch_drawing();
    return state;
  };

  // ---- what a page calls
  const of_media = (name, body) => patch.method(media, name, (self, args, original) =>
      is_media(self) ? body(self, meet(self), () => apply(original, self, args)) : apply(original, self, args));
  of_media('play', (element, state) => {
    if (!state.held && get(element, 'error')?.code === NOT_SUPPORTED)
      return Promise.reject(new DOMException('The element has no supported sources.', 'NotSupportedError'));
    return new Promise((done, failed) => {
      state.asked.push({done, failed});
      play(element, state);
    });
  });
  of_media('pause', pause);
  of_media('load', (element, state, load) => {
    load();
    begin_loading(element, state);
  });
  of_media('captureStream', (element, state, capture) => {
    clock.miss('captureStream', 'the stream of a media element stands still: test what needs it in real time');
    return capture();
  });
  const getter = (name, body) =>
      patch.getter(media, name, (self, read) => states.has(self) ? body(self, states.get(self)) : read());
  getter('currentTime', (element, state) => position(element, state, clock.read()));
  getter('paused', (element, state) => state.is_paused);
  getter('seeking', (element, state) => state.is_seeking);
  getter('ended', is_at_end);
  getter('preload', (element, state) => state.preload);
  getter('loop', (element, state) => state.loops);
  getter('readyState', ready_state);
  getter('duration', duration);
  getter('error', (element, state) => state.held ? null : get(element, 'error'));

  const setter = (name, body) => patch.accessor(media, name, null, (self, value, set) =>
      is_media(self) ? body(self, meet(self), () => set(value), value) : set(value));
  setter('currentTime', (element, state, set, value) => isFinite(Number(value)) ? seek(element, state, Number(value)) : set());
  for (const name of ['src', 'srcObject']) {
    setter(name, (element, state, set) => {
      set();
      begin_loading(element, state);
    });
  }
  setter('preload', (element, state, set) => {
    set();
    preload_all(element, state);
    if (!state.is_loaded) add_loading(element, state);
  });
  setter('autoplay', (element, state, set) => {
    set();
    autoplay(element, state);
  });
  setter('loop', (element, state, set) => {
    stay(element, state);
    set();
    set_loop(element, state, get(element, 'loop'));
    arm(element, state);
  });
  for (const name of ['playbackRate', 'defaultPlaybackRate', 'volume', 'muted']) {
    const type = name === 'volume' || name === 'muted' ? 'volumechange' : 'ratechange';
    setter(name, (element, state, set) => {
      const before = element[name];
      stay(element, state);
      set();
      arm(element, state);
      if (element[name] !== before) queue(element, type);
    });
  }

  // ---- how elements come about; those of the parser are met when they begin to load
  for (const name of ['createElement', 'createElementNS']) {
    patch.method(window.Document.prototype, name, (self, args, original) => {
      const element = apply(original, self, args);
      if (is_media(element)) meet(element);
      return element;
    });
  }
  patch.method(window.Node.prototype, 'cloneNode', (self, args, original) => {
    const node = apply(original, self, args);
    if (is_media(node)) set_loop(node, meet(node), meet(self).loops);
    return node;
  });
  patch.constructor(window, 'Audio', function(...args) {
    if (!new.target) return Audio();  // Throws.
    const element = construct(Audio, args);
    meet(element);
    return element;
  });
  let is_watching_attributes = false, is_watching_drawing = false;
  const watch_attributes = () => {
    if (is_watching_attributes) return;
    is_watching_attributes = true;
    patch.method(Element.prototype, 'setAttribute', (self, args, original) => {
      const result = apply(original, self, args);
      if (!is_media(self)) return result;
      const state = meet(self), name = String(args[0]).toLowerCase();
      if (name === 'src') begin_loading(self, state);
      if (name === 'preload') preload_all(self, state);
      if (name === 'autoplay') autoplay(self, state);
      if (name === 'loop') self.loop = true;
      return result;
    });
    patch.method(Element.prototype, 'removeAttribute', (self, args, original) => {
      if (is_media(self) && String(args[0]).toLowerCase() === 'loop') self.loop = false;
      return apply(original, self, args);
    });
  };

  // ---- the pictures of videos
  const watch_drawing = () => {
    if (is_watching_drawing) return;
    is_watching_drawing = true;
    const draws = (owner, name, place) => patch.method(owner, name, (self, args, original) => {
      const source = args[place ?? args.length - 1];
      if (is_media(source)) drawn.add(source);
      return apply(original, self, args);
    });
    for (const type of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D']) {
      draws(window[type]?.prototype, 'drawImage', 0);
      draws(window[type]?.prototype, 'createPattern', 0);
    }
    for (const type of ['WebGLRenderingContext', 'WebGL2RenderingContext'])
      for (const name of ['texImage2D', 'texSubImage2D']) draws(window[type]?.prototype, name);
    draws(window, 'createImageBitmap', 0);
  };
  // What the page draws itself it draws in the next frame.
  clock.add_hook('ends', realm, () => {
    for (const element of moving)
      if (drawn.has(element) || !element.isConnected) show(element, position(element, states.get(element), clock.now() + config.frame_ms));
  });
  clock.add_hook('looks', realm, () => {
    for (const element of moving)
      if (!drawn.has(element) && element.isConnected) show(element, position(element, states.get(element)));
  });
}
