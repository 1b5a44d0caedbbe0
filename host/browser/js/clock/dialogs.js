// Dialogs are the browser's own: they stop everything until the host answers. When they come in game time it is told, for it counts them. A window that
// is opened has a clock of its own.
({window, clock, patch, native}) => {
  const before = (name, run) => patch.method(window, name, (self, args, original) => {
    run();
    return native.Reflect.apply(original, self ?? window, args);
  });
  for (const name of ['alert', 'confirm', 'prompt']) before(name, clock.tell_frames);
  before('open', () => {
    clock.part();
    clock.miss('a window that the page opened', 'what its document loads is not waited for: test what it shows in real time');
  });
}
