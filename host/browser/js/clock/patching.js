// Replaces what a page sees of the browser so that the page does not notice: name, length, own properties and text stay those of the browser's.
// `texts` knows the originals of all realms of one clock.
(window, texts) => {
  const {defineProperty, getOwnPropertyDescriptor, getOwnPropertyDescriptors, getPrototypeOf, defineProperties} = window.Object;
  const {apply} = window.Reflect, {call} = window.Function.prototype;

  const disguise = (patched, original) => {
    const facts = getOwnPropertyDescriptors(original);
    defineProperty(patched, 'length', facts.length);
    defineProperty(patched, 'name', facts.name);
    texts.set(patched, original);
    return patched;
  };
  // As the browser's methods: no prototype, and nothing that `new` takes.
  const method_of = (original, body) => disguise({patched(...args) { return body(this, args); }}.patched, original);

  // make(original) gives what stands for owner[name], a method of an object literal: for what a page calls thousands of times a frame.
  // original.call() with each argument named is several times faster than apply(), for V8 then calls the browser without making objects of them.
  const direct = (owner, name, make) => {
    // The functions of a worker are those of a prototype.
    while (owner && !getOwnPropertyDescriptor(owner, name)) owner = getPrototypeOf(owner);
    const facts = owner && getOwnPropertyDescriptor(owner, name), original = facts?.value;
    if (typeof original !== 'function') return;
    defineProperty(original, 'call', {value: call});  // Whatever the page makes of Function.prototype.
    facts.value = disguise(make(original), original);
    defineProperty(owner, name, facts);
  };
  // body(self, args, original) stands for owner[name]. What the browser does not have stays missing.
  const method = (owner, name, body) => direct(owner, name, (original) => ({made(...args) { return body(this, args, original); }}).made);
  // get(self, value) gives what the browser's own getter would; set(self, value, original) takes what its setter would.
  const accessor = (owner, name, get, set) => {
    const facts = owner && getOwnPropertyDescriptor(owner, name);
    if (!facts?.get) return;
    const {get: getter, set: setter} = facts;
    if (get) facts.get = method_of(getter, (self) => get(self, apply(getter, self, [])));
    if (set && setter) facts.set = method_of(setter, (self, [value]) => set(self, value, (given) => apply(setter, self, [given])));
    defineProperty(owner, name, facts);
  };
  // body(self, read) stands for the getter of owner[name]; read() is what the browser's gives.
  const getter = (owner, name, body) => {
    const facts = owner && getOwnPropertyDescriptor(owner, name), original = facts?.get;
    if (!original) return;
    facts.get = method_of(original, (self) => body(self, () => apply(original, self, [])));
    defineProperty(owner, name, facts);
  };
  // `patched` is a function that can be called as owner[name] is. It gets the statics and the prototype, whose constructor it becomes.
  const constructor = (owner, name, patched) => {
    const facts = getOwnPropertyDescriptor(owner, name), original = facts?.value;
    if (typeof original !== 'function') return;
    defineProperties(patched, getOwnPropertyDescriptors(original));
    texts.set(patched, original);
    const back = getOwnPropertyDescriptor(original.prototype, 'constructor');
    if (back.value === original) defineProperty(original.prototype, 'constructor', {...back, value: patched});  // Audio's is HTMLAudioElement.
    facts.value = patched;
    defineProperty(owner, name, facts);
  };

  method(window.Function.prototype, 'toString', (self, args, original) => apply(original, texts.get(self) ?? self, args));
  return {method, direct, accessor, getter, constructor};
}
