// Web Audio in game time. An AudioContext is an OfflineAudioContext that never renders, so that no sound device and no audio thread moves it: its
// time is that of the clock, sources end when they would have been heard to the end, and a ScriptProcessorNode asks for sound at its pace. The graph
// hears silence. Autoplay is as with --autoplay-policy=no-user-gesture-required. What the standard leaves open is as measured in Chromium 156.
({window, clock, realm, patch, native}) => {
  const {AudioContext, OfflineAudioContext, BaseAudioContext, AudioBufferSourceNode, AudioScheduledSourceNode, AudioNode, AudioParam} = window;
  if (!AudioContext || !OfflineAudioContext) return;
  const {AudioProcessingEvent, ConstantSourceNode, EventTarget, Event, MediaStream} = window;
  const {DOMException, Promise, RangeError, Set, WeakMap, WeakSet} = window;
  const {apply, construct} = native.Reflect, {getOwnPropertyDescriptor, setPrototypeOf} = window.Object, {isFinite} = window.Number;
  const {dispatchEvent} = EventTarget.prototype;
  const {pow, max, min} = window.Math;
  const SAMPLE_RATE = 44100, BASE_LATENCY = 0.01, OUTPUT_LATENCY = 0;  // Of Chromium without a sound device.

  const reader = (type, name) => {
    const {get} = getOwnPropertyDescriptor(type.prototype, name);
    return (self) => apply(get, self, []);
  };
  const context_of = reader(AudioNode, 'context');
  const dispatch = (target, event) => apply(dispatchEvent, target, [event]);
  const refused = (name, type, what, error = 'InvalidStateError') => new DOMException(`Failed to execute '${name}' on '${type}': ${what}`, error);

  // ---- contexts
  const contexts = new WeakMap();
  const seconds = (at, ms = clock.now()) => at.state === 'running' ? at.seconds + (ms - at.since) / 1000 : at.seconds;

  const GameAudioContext = function(options) {
    if (!new.target) return AudioContext();  // Throws.
    const context = new OfflineAudioContext(2, 1, options?.sampleRate ?? SAMPLE_RATE);
    setPrototypeOf(context, new.target.prototype);
    const at = {state: 'running', seconds: 0, since: clock.now(), ending: new Set(), processing: new Set()};
    contexts.set(context, at);
    clock.after(realm, () => { if (at.state === 'running') dispatch(context, new Event('statechange')); });
    return context;
  };
  patch.constructor(window, 'AudioContext', GameAudioContext);
  if (window.webkitAudioContext) window.webkitAudioContext = GameAudioContext;

  patch.getter(BaseAudioContext.prototype, 'currentTime', (self, read) => contexts.has(self) ? seconds(contexts.get(self), clock.read()) : read());
  patch.getter(BaseAudioContext.prototype, 'state', (self, read) => contexts.has(self) ? contexts.get(self).state : read());
  for (const [name, value] of [['baseLatency', BASE_LATENCY], ['outputLatency', OUTPUT_LATENCY], ['sinkId', '']])
    patch.getter(AudioContext.prototype, name, (self, read) => contexts.has(self) ? value : read());
  for (const name of ['onerror', 'onsinkchange', 'playbackStats'])
    patch.getter(AudioContext.prototype, name, (self, read) => contexts.has(self) ? null : read());

  const move = (name, state) => patch.method(AudioContext.prototype, name, (self, args, original) => {
    const at = contexts.get(self);
    if (!at) return apply(original, self, args);
    if (at.state === 'closed') return Promise.reject(new DOMException(`Cannot ${name} a closed AudioContext.`, 'InvalidStateError'));
    return new Promise((done) => clock.after(realm, () => {
      done();
      if (at.state === 'closed' || at.state === state) return;
      at.seconds = seconds(at);
      at.since = clock.now();
      at.state = state;
      for (const node of at.ending) schedule_end(node);
      for (const node of at.processing) schedule_processing(node);
      dispatch(self, new Event('statechange'));
    }));
  });
  move('resume', 'running');
  move('suspend', 'suspended');
  move('close', 'closed');
  patch.method(AudioContext.prototype, 'setSinkId', (self, args, original) => contexts.has(self) ? Promise.resolve() : apply(original, self, args));
  patch.method(AudioContext.prototype, 'getOutputTimestamp', (self, args, original) => {
    const at = contexts.get(self);
    if (!at) return apply(original, self, args);
    return {contextTime: seconds(at), performanceTime: (at.state === 'running' ? clock.now() : at.since) - realm.origin};
  });

  // ---- sources of sound, and when they end
  // {start, stop: seconds of the context; since, position, left: of the buffer, at `since`}
  const sources = new WeakMap(), rates = new WeakMap();
  const buffer_of = reader(AudioBufferSourceNode, 'buffer'), loop_of = reader(AudioBufferSourceNode, 'loop');
  const loop_start_of = reader(AudioBufferSourceNode, 'loopStart'), loop_end_of = reader(AudioBufferSourceNode, 'loopEnd');
  const rate_of = reader(AudioBufferSourceNode, 'playbackRate'), detune_of = reader(AudioBufferSourceNode, 'detune');
  const value_of = reader(AudioParam, 'value'), duration_of = reader(window.AudioBuffer, 'duration');

  // How far a source has come in its buffer. To be called before anything that its speed depends on changes.
  const follow = (node, source) => {
    const now = seconds(contexts.get(context_of(node))), passed = max(0, min(now, source.stop) - source.since) * source.rate;
    source.since = max(source.since, now);
    source.left -= passed;
    source.position += passed;
    const buffer = source.is_buffer && buffer_of(node);
    if (!buffer || !loop_of(node)) return;
    const whole = duration_of(buffer), is_part = loop_end_of(node) > loop_start_of(node);
    const from = is_part ? loop_start_of(node) : 0, to = is_part ? min(loop_end_of(node), whole) : whole;
    if (source.position > to && to > from) source.position = from + (source.position - from) % (to - from);
  };
  const end_of = (node, source) => {
    if (!source.is_buffer) return source.stop;
    const buffer = buffer_of(node);
    if (!buffer) return source.stop;
    source.rate = value_of(rate_of(node)) * pow(2, value_of(detune_of(node)) / 1200);
    const left = min(loop_of(node) ? Infinity : duration_of(buffer) - source.position, source.left);
    return min(source.stop, left <= 0 ? source.since : source.rate > 0 ? source.since + left / source.rate : Infinity);
  };
  const schedule_end = (node) => {
    const source = sources.get(node), at = contexts.get(context_of(node)), end = end_of(node, source);
    source.task.is_off = true;
    end === Infinity || at.state === 'closed' ? at.ending.delete(node) : at.ending.add(node);
    if (end === Infinity || at.state !== 'running') return;
    source.task = clock.after(realm, () => {
      source.is_over = true;
      at.ending.delete(node);
      dispatch(node, new Event('ended'));
    }, max(0, end - seconds(at)) * 1000);
  };
  // Around `change`, which may have an effect on when a source ends.
  const changing = (node, change) => {
    const source = sources.get(node), is_sounding = source && !source.is_over;
    if (is_sounding) follow(node, source);
    const result = change();
    if (is_sounding) schedule_end(node);
    return result;
  };

  // The browser's own start() and stop() are called only where they refuse: started nodes are kept until they have been rendered.
  const start = (type, is_buffer) => patch.method(type.prototype, 'start', (self, args, original) => {
    const at = contexts.get(context_of(self)), name = type.prototype[Symbol.toStringTag];
    const [when = 0, offset = 0, duration = Infinity] = args.map((one) => one === undefined ? one : Number(one));
    const is_fine = isFinite(when) && when >= 0 && isFinite(offset) && offset >= 0 && (args[2] === undefined || isFinite(duration)) && duration >= 0;
    if (!at || !is_fine) return apply(original, self, args);
    if (sources.has(self)) throw refused('start', name, 'cannot call start more than once.');
    const since = max(when, seconds(at));
    sources.set(self, {is_buffer, since, position: offset, left: duration, rate: 1, stop: Infinity, is_over: false, task: {}});
    if (is_buffer) for (const param of [rate_of(self), detune_of(self)]) rates.set(param, self);
    schedule_end(self);
    ++clock.sounds;
  });
  start(AudioScheduledSourceNode, false);
  start(AudioBufferSourceNode, true);
  patch.method(AudioScheduledSourceNode.prototype, 'stop', (self, args, original) => {
    const at = contexts.get(context_of(self)), source = sources.get(self), when = args[0] === undefined ? 0 : Number(args[0]);
    if (!at || !source || !isFinite(when)) return apply(original, self, args);
    if (when < 0) {
      throw new RangeError("Failed to execute 'stop' on 'AudioScheduledSourceNode': " +
                           `The time provided (${when}) is less than the minimum bound (0).`);
    }
    if (!source.is_over) changing(self, () => { source.stop = max(when, seconds(at)); });
  });
  for (const name of ['buffer', 'loop', 'loopStart', 'loopEnd'])
    patch.accessor(AudioBufferSourceNode.prototype, name, null, (self, value, set) => changing(self, () => set(value)));

  patch.accessor(AudioParam.prototype, 'value', null, (self, value, set) => {
    const node = rates.get(self);
    node ? changing(node, () => set(value)) : set(value);
  });

  // ---- ScriptProcessorNode: programs that make their sound themselves, and may count time by it
  const processors = new WeakMap();
  const schedule_processing = (node) => {
    const one = processors.get(node), at = contexts.get(context_of(node));
    one.task.is_off = true;
    if (at.state !== 'running' || !at.processing.has(node)) return;
    one.task = clock.after(realm, () => {
      one.due += one.seconds;
      schedule_processing(node);
      const {inputBuffer, outputBuffer} = one;
      dispatch(node, new AudioProcessingEvent('audioprocess', {playbackTime: one.due, inputBuffer, outputBuffer}));
    }, max(0, one.due - seconds(at)) * 1000);
  };
  patch.method(BaseAudioContext.prototype, 'createScriptProcessor', (self, args, original) => {
    const node = apply(original, self, args), at = contexts.get(self);
    if (!at) return node;
    const {sampleRate} = self, size = node.bufferSize, [, inputs = 2, outputs = 2] = args;
    const buffer = (channels) => self.createBuffer(max(1, channels), size, sampleRate);
    processors.set(node, {due: 0, seconds: size / sampleRate, task: {}, inputBuffer: buffer(inputs), outputBuffer: buffer(outputs)});
    return node;
  });
  patch.method(AudioNode.prototype, 'connect', (self, args, original) => {
    const result = apply(original, self, args), one = processors.get(self);
    if (!one) return result;
    const at = contexts.get(context_of(self));
    if (at.processing.has(self)) return result;
    at.processing.add(self);
    one.due = seconds(at);
    schedule_processing(self);
    return result;
  });
  patch.method(AudioNode.prototype, 'disconnect', (self, args, original) => {
    const result = apply(original, self, args), one = processors.get(self);
    if (!one || args.length) return result;
    contexts.get(context_of(self)).processing.delete(self);
    one.task.is_off = true;
    return result;
  });

  // ---- sources and destinations of media: nodes of the right kind, and silent
  const media = new WeakMap(), streams = new WeakMap(), connected = new WeakSet();
  const silent = (context, type) => setPrototypeOf(new ConstantSourceNode(context), type.prototype);
  const from_media = (context, element) => {
    if (connected.has(element)) {
      throw refused('createMediaElementSource', 'AudioContext',
                    'HTMLMediaElement already connected previously to a different MediaElementSourceNode.');
    }
    connected.add(element);
    const node = silent(context, window.MediaElementAudioSourceNode);
    media.set(node, element);
    return node;
  };
  const from_stream = (context, stream) => {
    if (!stream.getAudioTracks().length) throw refused('createMediaStreamSource', 'AudioContext', 'MediaStream has no audio track');
    const node = silent(context, window.MediaStreamAudioSourceNode);
    streams.set(node, stream);
    return node;
  };
  const to_stream = (context) => {
    clock.miss('MediaStreamAudioDestinationNode', 'its stream has no sound: test what needs it in real time');
    const node = setPrototypeOf(new window.GainNode(context), window.MediaStreamAudioDestinationNode.prototype);
    streams.set(node, new MediaStream());
    return node;
  };
  for (const [type, method, key, of_option, make, known] of [
    ['MediaElementAudioSourceNode', 'createMediaElementSource', 'mediaElement', 'mediaElement', from_media, media],
    ['MediaStreamAudioSourceNode', 'createMediaStreamSource', 'mediaStream', 'mediaStream', from_stream, streams],
    ['MediaStreamAudioDestinationNode', 'createMediaStreamDestination', 'stream', null, to_stream, streams]]) {
    const Native = window[type], kind = method === 'createMediaElementSource' ? window.HTMLMediaElement : MediaStream;
    if (!Native) continue;
    const is_ours = (context, given) => contexts.has(context) && (of_option === null || given instanceof kind);
    patch.method(AudioContext.prototype, method, (self, args, original) =>
        is_ours(self, args[0]) ? make(self, args[0]) : apply(original, self, args));
    patch.constructor(window, type, function(context, options) {
      if (!new.target || !is_ours(context, options?.[of_option])) return construct(Native, [context, options]);
      return setPrototypeOf(make(context, options?.[of_option]), new.target.prototype);
    });
    patch.getter(Native.prototype, key, (self, read) => known.has(self) ? known.get(self) : read());
  }

  // ---- what is not covered
  patch.getter(BaseAudioContext.prototype, 'audioWorklet', (self, read) => {
    if (contexts.has(self))
      clock.miss('AudioWorklet', 'its processors do not run, for audio is not rendered on game time: test what waits for them in real time');
    return read();
  });
  patch.method(BaseAudioContext.prototype, 'createAnalyser', (self, args, original) => {
    if (contexts.has(self))
      clock.miss('AnalyserNode', 'it hears silence, for audio is not rendered on game time: test what follows the sound in real time');
    return apply(original, self, args);
  });
}
