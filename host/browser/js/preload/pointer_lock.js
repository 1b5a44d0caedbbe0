// Runs in the page's world before its first script: the Pointer Lock API (https://www.w3.org/TR/pointerlock-2/), kept in the page.
// Chromium without a screen cannot hold a pointer: locked, its browser process sends itself move events without end, each of which throws the
// page's pointer back to the corner, and few frames are left to the game. Here the pointer stays free, so that each move that the host makes
// reaches the page as movementX and movementY. No listener is added, for a page's listeners tell its controls.
(() => {
  const KEY = '__qa_pointer_lock';
  if (typeof Element !== 'function' || Object.hasOwn(globalThis, KEY)) return;
  Object.defineProperty(globalThis, KEY, {value: true, enumerable: false});
  const later = setTimeout.bind(globalThis);
  let locked = null, held_before = false;

  const tell = (kind) => document.dispatchEvent(new Event(kind, {bubbles: true}));
  const free = () => {
    if (!locked) return;
    locked = null;
    held_before = true;
    later(tell, 0, 'pointerlockchange');
  };
  const refusal = (element) => {
    if (!element.isConnected || element.ownerDocument !== document)
      return new DOMException('The root document of this element is not valid for pointer lock.', 'WrongDocumentError');
    if (!navigator.userActivation.isActive && !held_before && !locked)
      return new DOMException('A user gesture is required to request Pointer Lock.', 'NotAllowedError');
    return null;
  };
  const replace = (owner, name, facts) => Object.defineProperty(owner, name, {configurable: true, enumerable: true, ...facts});

  replace(Element.prototype, 'requestPointerLock', {writable: true, value: function requestPointerLock() {
    const no = refusal(this), element = this;
    if (!no) locked = element;
    return new Promise((resolve, reject) => later(() => {
      tell(no ? 'pointerlockerror' : 'pointerlockchange');
      if (no) reject(no); else resolve();
    }, 0));
  }});
  replace(Document.prototype, 'exitPointerLock', {writable: true, value: function exitPointerLock() { free(); }});
  replace(Document.prototype, 'pointerLockElement', {get() {
    if (locked && !locked.isConnected) free();
    return this === document ? locked : null;
  }});
})();
