// setTimeout, setInterval and their ends (HTML, 8.6 "Timers").
({window, clock, realm, patch, native}) => {
  const LONGEST_MS = 2147483647;  // What does not fit in 32 bits counts as 0.
  const timers = new native.Map();
  const run_text = window.eval;
  let ids = 0;

  const set = (repeats) => (self, [handler, ms = 0, ...args]) => {
    ms = native.trunc(Number(ms));
    const id = ++ids;
    const text = typeof handler === 'function' ? null : String(handler);
    const run = () => {
      if (!repeats) timers.delete(id);
      text === null ? native.Reflect.apply(handler, window, args) : run_text(text);
    };
    timers.set(id, clock.add_timer(realm, run, ms > 0 && ms <= LONGEST_MS ? ms : 0, repeats));
    return id;
  };
  const clear = (self, [id]) => {
    const timer = timers.get(Number(id));
    if (timer) timer.is_off = true;
    timers.delete(Number(id));
  };
  patch.method(window, 'setTimeout', set(false));
  patch.method(window, 'setInterval', set(true));
  patch.method(window, 'clearTimeout', clear);
  patch.method(window, 'clearInterval', clear);
}
