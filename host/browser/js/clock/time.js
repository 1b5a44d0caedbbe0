// Date, performance and the time of events show game time. What is read moves time only after many readings (scheduler.js).
({window, clock, realm, patch, config}) => {
  const {Date, Reflect, Performance, Event, Intl} = window;
  const date_ms = () => config.epoch_ms + clock.read();

  const GameDate = function(...args) {
    if (!new.target) return new Date(date_ms()).toString();
    return Reflect.construct(Date, args.length ? args : [date_ms()], new.target);
  };
  patch.method(Date, 'now', () => Math.floor(date_ms()));
  patch.constructor(window, 'Date', GameDate);
  for (const name of ['format', 'formatToParts']) {
    const proto = Intl.DateTimeFormat.prototype;
    if (name === 'format') {
      patch.accessor(proto, name, (self, format) => (date) => format(date === undefined ? date_ms() : date));
    } else {
      patch.method(proto, name, (self, [date = date_ms()], original) => Reflect.apply(original, self, [date]));
    }
  }

  const since_origin = () => clock.read() - realm.origin;
  patch.method(Performance.prototype, 'now', since_origin);
  patch.method(Performance.prototype, 'mark', (self, [name, options], original) =>
      Reflect.apply(original, self, [name, {startTime: since_origin(), ...options}]));
  patch.accessor(Performance.prototype, 'timeOrigin', () => config.epoch_ms + realm.origin);
  // What performance.timing tells in milliseconds since 1970 happened at the beginning, as far as the page can tell.
  const Timing = window.PerformanceTiming?.prototype ?? {};
  for (const name of Object.keys(Timing)) {
    patch.accessor(Timing, name, (self, ms) => ms === 0 ? 0 : Math.floor(config.epoch_ms + realm.origin));
  }

  if (Event) {
    const times = new WeakMap();
    patch.accessor(Event.prototype, 'timeStamp', (event) => {
      let ms = times.get(event);
      if (ms === undefined) times.set(event, ms = clock.now() - realm.origin);
      return ms;
    });
  }
}
