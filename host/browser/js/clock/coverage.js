// What goes by real time whatever the clock does: said when a page begins to use it.
({window, clock, patch, native}) => {
  const uncovered = {
    EventSource: 'what a server sends comes in real time',
    RTCPeerConnection: 'what others send comes in real time',
    SharedWorker: 'it has the time of its own process',
    WebSocket: 'what a server sends comes in real time',
    WebTransport: 'what a server sends comes in real time',
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
