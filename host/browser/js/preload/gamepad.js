// Runs in the page's world when the host first holds a gamepad, and before the first script of each document from then on: one gamepad of the standard
// layout (https://w3c.github.io/gamepad/#remapping), at index 0. What is plugged into the machine is not shown. As in Chromium, each change makes a new
// object; and where a frame may not use gamepads, getGamepads() refuses as the browser's own.
(state, patching) => {
  const KEY = '__qa_gamepad', PRESSED = 30 / 255;  // Of a trigger (Chromium, kDefaultButtonPressedThreshold).
  const window = globalThis;
  if (!window.Gamepad) return;
  if (window[KEY]) return window[KEY](state);

  const {Gamepad, GamepadButton, GamepadEvent, Navigator, Object, document, navigator} = window;
  const {apply} = window.Reflect;
  const made = (type, facts) => {
    const object = Object.create(type.prototype);
    for (const name of Object.keys(facts)) Object.defineProperty(object, name, {value: facts[name], enumerable: true});
    return object;
  };
  let pad = null;
  const announce = () => {
    try {
      navigator.getGamepads();
    } catch {
      return;
    }
    const event = new GamepadEvent('gamepadconnected');
    Object.defineProperty(event, 'gamepad', {value: pad});
    window.dispatchEvent(event);
  };
  const set = ({buttons, axes}) => {
    const is_new = pad === null;
    pad = made(Gamepad, {
      id: 'Xbox 360 Controller (XInput STANDARD GAMEPAD)', index: 0, connected: true, mapping: 'standard', timestamp: window.performance.now(),
      axes: Object.freeze(axes), vibrationActuator: null,
      buttons: Object.freeze(buttons.map((value) => made(GamepadButton, {pressed: value > PRESSED, touched: value > 0, value}))),
    });
    if (!is_new) return;
    if (document.readyState === 'complete') return announce();
    // After the page's own listeners, which may wait for its load, too.
    window.addEventListener('load', () => window.setTimeout(announce, 0), {once: true});
  };
  Object.defineProperty(window, KEY, {value: set});
  patching(window, new window.WeakMap()).method(Navigator.prototype, 'getGamepads', (self, args, original) => {
    apply(original, self, args);
    return [pad, null, null, null];
  });
  set(state);
}
