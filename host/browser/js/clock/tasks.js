// Messages and tasks: postMessage of windows, ports and broadcast channels, scheduler.postTask and scheduler.yield. The browser delivers a message in its
// own time; here it is caught on arrival, and given to its listeners as a task of the frame.
({window, clock, realm, patch, native}) => {
  const {apply, construct} = native.Reflect;
  const {EventTarget, Promise, WeakSet, WeakMap, Set} = window;
  const {addEventListener, dispatchEvent} = EventTarget.prototype, {initEvent} = window.Event.prototype;

  // ---- on arrival
  // Target -> {open: it takes messages now, orders: those of the messages that were sent to it and have not arrived, peer}.
  const facts = new WeakMap(), given = new WeakSet();
  const guard = (target, open = true, peer = null) => {
    const known = {open, orders: [], peer};
    facts.set(target, known);
    apply(addEventListener, target, ['message', (event) => {
      for (const port of event.ports ?? []) if (!facts.has(port)) guard(port, false);
      if (given.has(event)) return;
      event.stopImmediatePropagation();
      given.add(event);
      if (known.orders.length) clock.arrived(1);
      clock.add_task(realm, () => {
        apply(initEvent, event, ['message', event.bubbles, event.cancelable]);  // It was stopped; so it goes on. Its data stay.
        apply(dispatchEvent, target, [event]);
      }, undefined, known.orders.shift());
    }, true]);
  };
  const opens = (target) => {
    const known = facts.get(target);
    if (!known || known.open) return;
    known.open = true;
    clock.on_its_way(known.orders.length);
  };
  // Closed, or sent to somebody else: nothing more arrives here.
  const closes = (target) => {
    const known = facts.get(target);
    if (!known) return;
    if (known.open) clock.arrived(known.orders.length);
    known.open = false;
    known.orders = [];
    if (known.peer) facts.get(known.peer).peer = null;
    known.peer = null;
  };
  const is_sent_to = (target) => {
    const known = facts.get(target);
    if (!known) return;
    if (known.open) clock.on_its_way(1);
    known.orders.push(clock.order_of_message());
  };

  if (window.document) guard(window);
  const guarding = (name, begin) => {
    const original = window[name];
    if (!original) return;
    patch.constructor(window, name, function(...args) {
      if (!new.target) return original();  // Says what is wrong.
      const made = construct(original, args, new.target);
      begin(made);
      return made;
    });
  };
  guarding('MessageChannel', ({port1, port2}) => {
    guard(port1, false, port2);
    guard(port2, false, port1);
  });
  const stations = new native.Map();  // Name of a broadcast channel -> those that hear it.
  guarding('BroadcastChannel', (channel) => {
    guard(channel);
    if (!stations.has(channel.name)) stations.set(channel.name, new Set());
    stations.get(channel.name).add(channel);
  });
  realm.guard = guard;  // For workers.js.

  // ---- on their way: the frame goes on when they have arrived
  const {MessagePort, BroadcastChannel} = window;
  const transferred = (args) => [...(Array.isArray(args[1]) ? args[1] : args[1]?.transfer ?? [])];
  patch.method(MessagePort?.prototype, 'postMessage', (self, args, original) => {
    const result = apply(original, self, args);
    transferred(args).forEach(closes);
    const peer = facts.get(self)?.peer;
    if (peer) is_sent_to(peer);
    return result;
  });
  for (const owner of [window.Worker?.prototype, window.document ? null : window]) {
    patch.method(owner, 'postMessage', (self, args, original) => {
      const result = apply(original, self ?? window, args);
      transferred(args).forEach(closes);
      return result;
    });
  }
  patch.method(MessagePort?.prototype, 'start', (self, args, original) => {
    opens(self);
    return apply(original, self, args);
  });
  patch.method(MessagePort?.prototype, 'close', (self, args, original) => {
    closes(self);
    return apply(original, self, args);
  });
  patch.accessor(MessagePort?.prototype, 'onmessage', null, (self, handler, set) => {
    opens(self);
    set(handler);
  });
  patch.method(BroadcastChannel?.prototype, 'postMessage', (self, args, original) => {
    const result = apply(original, self, args);
    for (const other of stations.get(self.name) ?? []) if (other !== self) is_sent_to(other);
    return result;
  });
  patch.method(BroadcastChannel?.prototype, 'close', (self, args, original) => {
    closes(self);
    stations.get(self.name)?.delete(self);
    return apply(original, self, args);
  });
  if (window.document) {
    patch.method(window, 'postMessage', (self, args, original) => {
      const result = apply(original, self ?? window, args);
      const to = typeof args[1] === 'object' ? args[1]?.targetOrigin ?? '/' : args[1] ?? '/';
      transferred(typeof args[1] === 'object' ? args : [0, args[2]]).forEach(closes);
      if (to === '*' || to === '/' || to === window.origin) is_sent_to(window);
      return result;
    });
  }

  // ---- scheduler (Prioritized Task Scheduling, WICG)
  const proto = window.Scheduler?.prototype;
  const CONTINUING = 1, RANKS = {'user-blocking': 0, 'user-visible': 2, background: 3};
  patch.method(proto, 'postTask', (self, args, original) => {
    const [callback, {signal, priority, delay} = {}] = args;
    // The browser's own says what is wrong with these.
    if (typeof callback !== 'function' || signal?.aborted) return apply(original, self, args);
    return new Promise((done, failed) => {
      const run = () => {
        if (signal?.aborted) return;
        try {
          done(callback());
        } catch (error) {
          failed(error);
        }
      };
      if (signal) apply(addEventListener, signal, ['abort', () => failed(signal.reason), {once: true}]);
      const rank = RANKS[priority ?? signal?.priority ?? 'user-visible'];
      const post = () => clock.add_task(realm, run, rank);
      delay > 0 ? clock.after(realm, post, native.trunc(delay)) : post();
    });
  });
  patch.method(proto, 'yield', () => new Promise((done) => clock.add_task(realm, done, CONTINUING)));
}
