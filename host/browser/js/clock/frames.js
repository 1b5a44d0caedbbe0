// requestAnimationFrame (HTML, 8.11) and requestIdleCallback.
({window, clock, realm, patch, native}) => {
  const IDLE_MS = 8;  // What every idle callback is told that it has.

  const queue = (name, cancel_name, add, run_of) => {
    const entries = new native.Map();
    let ids = 0;
    patch.method(window, name, (self, args, original) => {
      // The browser's own says what is wrong with anything but a function.
      if (typeof args[0] !== 'function') return native.Reflect.apply(original, window, args);
      const id = ++ids, run = run_of(args[0]);
      const entry = {realm, is_off: false, run: (...given) => {
        entries.delete(id);
        run(...given);
      }};
      entries.set(id, entry);
      add(entry);
      return id;
    });
    patch.method(window, cancel_name, (self, [id]) => {
      const entry = entries.get(Number(id));
      if (entry) entry.is_off = true;
      entries.delete(Number(id));
    });
  };
  queue('requestAnimationFrame', 'cancelAnimationFrame', clock.add_frame_callback, (callback) => (ms) => callback(ms));
  queue('requestIdleCallback', 'cancelIdleCallback', clock.add_idle_callback,
        (callback) => () => callback({didTimeout: false, timeRemaining: () => IDLE_MS}));
  for (const name of ['webkitRequestAnimationFrame', 'webkitCancelAnimationFrame']) {
    const standard = name[6].toLowerCase() + name.slice(7);
    patch.method(window, name, (self, args) => native.Reflect.apply(window[standard], window, args));
  }
}
