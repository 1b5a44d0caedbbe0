// Joins the topics: one realm (window) at a time, before any script of its page. The realms of a process that can read each other share the clock of
// the first of them; others have one of their own, which the host steps with it.
(config, topics) => {
  const KEY = '__qa_clock';
  const window = globalThis;
  const {defineProperty, hasOwn} = window.Object;
  if (hasOwn(window, KEY)) return;

  // Which worker it is stands behind its name (workers.js).
  const is_worker = config.is_worker, WORKER_MARK = ' __qa_clock ';
  // The document that a popup begins with hands its window on to the next one, and the clock with it.
  const hands_on = !is_worker && window.opener !== null && window.parent === window && window.location.href === 'about:blank';

  // Numbers of the frames on the way down from the top one: the same in every world.
  const path_of = (frame) => {
    const numbers = [];
    for (; frame !== frame.parent; frame = frame.parent) {
      let number = 0;
      while (number < frame.parent.length && frame.parent[number] !== frame) ++number;
      numbers.unshift(number);
    }
    return numbers.join('/');
  };
  const clock_above = () => {
    try {
      return !is_worker && window.parent !== window && window.parent[KEY]?.clock;
    } catch {
      return null;  // Of another origin.
    }
  };

  const native = topics.native(window);
  const above = clock_above();
  const clock = above || topics.scheduler(native, config);
  const path = is_worker ? 'worker ' + window.name.split(WORKER_MARK).pop() : path_of(window);
  const realm = {window, native, order: clock.realms.length, origin: clock.now(), path, is_gone: false};
  clock.realms.push(realm);
  clock.texts ??= new window.WeakMap();
  const patch = topics.patching(window, clock.texts);
  const at = {window, clock, realm, native, config, patch, listen: topics.listening(window, patch), is_worker, WORKER_MARK};
  const order = ['time', 'timers', 'tasks', 'workers', 'frames', 'random', 'gates', 'animations', 'rendering', 'dialogs', 'pointer', 'drawing', 'audio',
                 'media', 'coverage'];
  for (const topic of order) topics[topic](at);

  if (!above) native.tell('clock ' + realm.path);
  // The document that a frame begins with may hand its window on to the next one, too.
  const first = !is_worker && window.location.href === 'about:blank' ? window.document : null;
  const is_left = () => window.document === first || window.document.defaultView !== window;
  window.addEventListener('pagehide', () => {
    if (hands_on) return;
    realm.is_gone = true;
    if (!above) clock.leave();
    else if (first !== null) clock.realms[0].native.turn().then(() => { realm.is_gone = is_left(); });
  });
  // Earlier than that, and at the same moment of game time in every world: the frame ends here.
  if (!above) {
    window.navigation?.addEventListener('navigate', ({destination, hashChange, downloadRequest}) => {
      const is_document = /^(https?|about|blob|data):/.test(destination.url);
      if (is_document && !destination.sameDocument && !hashChange && downloadRequest === null) clock.leave();
    });
  }
  defineProperty(window, KEY, {value: {clock, step: clock.step, thaw: clock.thaw, freeze: clock.freeze, coverage: clock.coverage}});
}
