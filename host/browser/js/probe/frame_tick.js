// Waits for animation frames. args {count = 4, limit_ms = 1000}; resolves to {ticks, ms} after `count` frames or at the
// limit.
(args) => new Promise((resolve) => {
  const count = (args && args.count) || 4, limit = (args && args.limit_ms) || 1000, start = performance.now();
  let ticks = 0, over = false;
  const finish = () => {
    if (!over) resolve({ticks, ms: performance.now() - start});
    over = true;
  };
  const timer = setTimeout(finish, limit);
  const tick = () => {
    if (over) return;
    if (++ticks < count) return requestAnimationFrame(tick);
    clearTimeout(timer);
    finish();
  };
  requestAnimationFrame(tick);
})
