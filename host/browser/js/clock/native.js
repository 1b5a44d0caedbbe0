// What the clock itself needs of the browser, taken before the page can replace it.
(window) => {
  const {Date, MessageChannel, Promise, Reflect, performance, Map, Math} = window;
  const {apply} = Reflect, {then} = Promise.prototype;
  const set_timeout = window.setTimeout.bind(window), set_interval = window.setInterval.bind(window);
  // Tells the host a text; the page does not see that it can.
  const {__qa_clock_tell: tell} = window;
  delete window.__qa_clock_tell;
  const request_frame = window.requestAnimationFrame?.bind(window);
  const waiting = [];
  const channel = new MessageChannel();
  channel.port1.onmessage = () => waiting.shift()?.();
  const ring = channel.port2.postMessage.bind(channel.port2);
  return {
    Date,
    Map,
    Reflect,
    random: Math.random,
    min: Math.min,
    max: Math.max,
    trunc: Math.trunc,
    // Milliseconds of real time; only for what must not take long.
    wall_ms: performance.now.bind(performance),
    // One task of the browser: jobs of promises and what stood before it in the queue have run.
    turn: () => new Promise((done) => {
      waiting.push(done);
      ring(0);
    }),
    // A frame of the browser, with all that it tells of it; 1 s at most, for a window that is not shown has none, nor have some workers.
    frame: (most_ms = 1000) => new Promise((done) => {
      set_timeout(done, most_ms);
      request_frame?.(() => {
        waiting.push(() => {
          waiting.push(done);
          ring(0);
        });
        ring(0);
      });
    }),
    // As promise.then(), whatever the page has made of that.
    then: (promise, done, failed) => apply(then, promise, [done, failed]),
    // The first value of two promises; that of a nap is "silent".
    first: (promise, nap) => new Promise((done) => {
      apply(then, promise, [done]);
      apply(then, nap, [() => done('silent')]);
    }),
    tell: (text) => tell?.(text),
    every: (ms, run) => set_interval(run, ms),
    nap: (ms) => new Promise((done) => set_timeout(done, ms)),
    // A video tells by it when a new picture is there to be seen.
    request_picture: window.HTMLVideoElement?.prototype.requestVideoFrameCallback,
    report: window.reportError.bind(window),
  };
}
