// What goes by real time whatever the clock does: said when a page begins to use it, with what a tester can do.
({window, clock, patch, native}) => {
  const SENT = 'what a server sends comes in real time: test a build that plays without it, or test in real time';
  const uncovered = {
    EventSource: SENT,
    RTCPeerConnection: 'what others send comes in real time: test a build that plays without them, or test in real time',
    SharedWorker: 'it has the time of its own process: use a dedicated worker, or test in real time',
    WebSocket: SENT,
    WebTransport: SENT,
  };
  for (const [name, reason] of window.Object.entries(uncovered)) {
    const original = window[name];
    if (!original) continue;
    patch.constructor(window, name, function(...args) {
      if (!new.target) return original();  // Says what is wrong.
      clock.miss(name, reason);
      return native.Reflect.construct(original, args, new.target);
    });
  }
}
