// Dialogs are the browser's own: they stop everything until the host answers. When they come in game time it is told, for it counts them.
({window, clock, patch, native}) => {
  for (const name of ['alert', 'confirm', 'prompt']) {
    patch.method(window, name, (self, args, original) => {
      clock.tell_frames();
      return native.Reflect.apply(original, self ?? window, args);
    });
  }
}
