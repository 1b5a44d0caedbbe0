// Dedicated workers: each has a clock of its own, which the host steps after that of the page, so that what the page has sent is there before, and
// the answers after. Time waits for the start of a worker: its clock says when its script has run for the first time.
//
// A worker is known by its number among those that its page has made. It stands behind the worker's name, where the clock in the worker finds it: in
// which order workers load is chance.
({window, clock, realm, patch, native, is_worker, WORKER_MARK}) => {
  const {apply, construct} = native.Reflect;
  const {Worker} = window;
  const {addEventListener} = window.EventTarget.prototype;
  const STARTED = '__qa_clock_started';

  if (Worker) {
    const above = realm.path ? [realm.path.replace('worker ', '')] : [];
    const releases = new window.WeakMap();
    let workers = 0;
    patch.constructor(window, 'Worker', function(...args) {
      if (!new.target) return Worker();  // Says what is wrong.
      if (args.length === 0) return construct(Worker, args);
      const [url, options] = args;
      const number = [...above, window.String(++workers).padStart(3, '0')].join('.');
      const worker = construct(Worker, [url, {...options, name: (options?.name ?? '') + WORKER_MARK + number}], new.target);
      const release = clock.hold('the start of a worker');
      releases.set(worker, release);
      clock.part();
      apply(addEventListener, worker, ['error', release]);
      apply(addEventListener, worker, ['message', (event) => {
        if (event.data !== STARTED) return;
        event.stopImmediatePropagation();
        release();
      }, true]);
      realm.guard(worker);
      return worker;
    });
    patch.method(Worker.prototype, 'terminate', (self, args, original) => {
      releases.get(self)?.();
      return apply(original, self, args);
    });
  }

  if (!is_worker) return;
  const tell = window.postMessage;
  realm.guard(window);
  patch.getter(window, 'name', (self, read) => read().split(WORKER_MARK)[0]);
  native.then(native.turn(), () => apply(tell, window, [STARTED]));
}
