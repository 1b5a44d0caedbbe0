// Math.random and crypto give the same numbers in every world of one seed; each realm has a sequence of its own, by its place in the tree of frames.
({window, realm, patch, native, config}) => {
  // SFC32 (Chris Doty-Humphrey, PractRand), seeded by FNV-1a of seed and place.
  let hash = 2166136261;
  for (const char of config.seed + '/' + realm.path) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
  let a = hash | 0, b = 0x9e3779b9 | 0, c = 0x243f6a88 | 0, counter = 1;
  const next = () => {
    const sum = (a + b | 0) + counter | 0;
    counter = counter + 1 | 0;
    a = b ^ (b >>> 9);
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + sum | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; ++i) next();

  patch.method(window.Math, 'random', () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992);
  const {Uint8Array, Reflect} = window;
  patch.method(window.Crypto?.prototype, 'getRandomValues', (self, args, original) => {
    const array = Reflect.apply(original, self, args);  // Refuses what it refuses.
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = next() >>> 24;
    return array;
  });
  patch.method(window.Crypto?.prototype, 'randomUUID', () => {
    const digits = Array.from({length: 32}, (_, i) => i === 12 ? 4 : i === 16 ? 8 + (next() >>> 30) : next() >>> 28);
    return digits.map((digit) => digit.toString(16)).join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  });
}
