-- Web Audio in game time: contexts, the ends of sources, processors, decoding.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value
local silent_wav = require("qa").load_chunk("tests/lua/support/silent_wav.lua")()

local function joined(page, js) return table.concat(value(page, js), ", ") end

return {
  ["the time of a context is game time, and stands while it is suspended"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      const context = new AudioContext();
      const note = (what) => log.push(what + ' ' + context.state + ' ' + context.currentTime.toFixed(3));
      context.onstatechange = () => note('changed');
      note('made');
      setTimeout(() => { const done = context.suspend(); note('asked'); done.then(() => note('done')); }, 100);
      setTimeout(() => context.resume().then(() => note('resumed')), 300);
      setTimeout(() => context.close().then(() => note('closed')), 400);
      setTimeout(() => context.resume().catch((error) => note(error.name)), 500);
    </script>]], function(open)
      local page = open()
      qa.sleep(150)
      t.equal(joined(page, "log"), "made running 0.000")
      page:step(60)
      t.equal(joined(page, "log"), "made running 0.000, changed running 0.000, asked running 0.100, "
        .. "changed suspended 0.100, done suspended 0.100, changed running 0.100, resumed running 0.100, "
        .. "changed closed 0.200, closed closed 0.200, InvalidStateError closed 0.200")
      t.equal(value(page, "context.currentTime"), 0.2)
    end)
  end,
  ["a context looks like the browser's own"] = function(t)
    clock_page.with([[<script>
      class Mine extends AudioContext {}
      const context = new Mine({sampleRate: 22050});
      const thrown = (run) => { try { run(); return 'nothing' } catch (error) { return error.name } };
      window.facts = () => [context instanceof AudioContext, context instanceof Mine,
        context instanceof OfflineAudioContext, String(AudioContext),
        Object.prototype.toString.call(context), context.constructor === Mine,
          AudioContext.prototype.constructor === AudioContext,
        context.sampleRate, context.baseLatency, context.outputLatency, context.destination.maxChannelCount,
        Math.round(context.getOutputTimestamp().contextTime * 1000),
          Math.round(context.getOutputTimestamp().performanceTime), thrown(() => AudioContext()),
          thrown(() => new AudioContext({sampleRate: 1}))];
    </script>]], function(open)
      local page = open()
      page:step(30)
      t.equal(value(page, "facts()"), { true, true, false, "function AudioContext() { [native code] }",
        "[object AudioContext]", true, true, 22050, 0.01, 0, 2,
        500, 500, "TypeError", "NotSupportedError" })
    end)
  end,
  ["a source ends when it would have been heard to the end"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      const context = new AudioContext(), buffer = context.createBuffer(1, 44100, 44100);
      const sound = (name, change, ...when) => {
        const node = context.createBufferSource();
        node.buffer = buffer;
        node.connect(context.destination);
        change(node);
        node.onended = () => log.push(name + ' ' + performance.now().toFixed(0));
        node.start(...when);
        return node;
      };
      const later = (ms, run) => setTimeout(run, ms);
      sound('whole', () => {});
      sound('part', () => {}, 0.5, 0.2, 0.3);
      sound('fast', (node) => { node.playbackRate.value = 4; });
      sound('octave', (node) => { node.detune.value = 1200; });
      sound('for 2 s', (node) => { node.loop = true; }, 0, 0, 2);
      sound('endless', (node) => { node.loop = true; });
      const stopped = sound('stopped', (node) => { node.loop = true; });
      later(700, () => stopped.stop());
      const last_round = sound('last round', (node) => { node.loop = true; });
      later(1400, () => { last_round.loop = false; });
      const hurried = sound('hurried', () => {});
      later(500, () => { hurried.playbackRate.value = 5; });
      const short = sound('short', () => {}, 0, 0, 0.8);
      later(200, () => { short.playbackRate.value = 6; });
      const tone = context.createOscillator();
      tone.onended = () => log.push('tone ' + performance.now().toFixed(0));
      tone.start(0.1);
      tone.stop(0.35);
    </script>]], function(open)
      local page, twin = open(), open()
      page:step(150)
      for _ = 1, 30 do twin:step(5) end
      t.equal(joined(page, "log"), "fast 250, short 300, tone 350, octave 500, hurried 600, stopped 700, part 800, "
        .. "whole 1000, for 2 s 2000, last round 2000")
      t.equal(value(page, "log"), value(twin, "log"))
    end)
  end,
  ["a source of a suspended context goes on where it was"] = function(t)
    clock_page.with([[<script>
      window.ended = null;
      const context = new AudioContext(), node = context.createBufferSource();
      node.buffer = context.createBuffer(1, 44100, 44100);
      node.addEventListener('ended', () => { ended = performance.now(); });
      node.start();
      setTimeout(() => context.suspend(), 400);
      setTimeout(() => context.resume(), 900);
    </script>]], function(open)
      local page = open()
      page:step(60)
      t.equal(value(page, "ended"), nil)
      page:step(60)
      t.equal(value(page, "Math.round(ended)"), 1500)
    end)
  end,
  ["what the browser refuses is refused"] = function(t)
    clock_page.with([[<script>
      const context = new AudioContext();
      const thrown = (run) => { try { run(); return 'nothing' } catch (error) { return error.name } };
      const source = () => context.createBufferSource();
      window.facts = [thrown(() => { const node = source(); node.start(); node.start(); }),
        thrown(() => source().stop()),
        thrown(() => source().start(-1)), thrown(() => source().start(NaN)), thrown(() => { const node = source();
          node.start(); node.stop(-1); }),
        thrown(() => { const audio = new Audio(); context.createMediaElementSource(audio);
          context.createMediaElementSource(audio); }),
        thrown(() => context.createMediaElementSource({})),
          thrown(() => context.createMediaStreamSource(new MediaStream()))];
    </script>]], function(open)
      t.equal(joined(open(), "facts"), "InvalidStateError, InvalidStateError, RangeError, TypeError, RangeError, "
        .. "InvalidStateError, TypeError, InvalidStateError")
    end)
  end,
  ["sources and destinations of media can be connected"] = function(t)
    clock_page.with([[<script>
      const context = new AudioContext(), audio = new Audio();
      const element = context.createMediaElementSource(audio), made = new MediaElementAudioSourceNode(context,
        {mediaElement: new Audio()});
      const stream = context.createMediaStreamDestination();
      element.connect(context.createGain()).connect(stream);
      window.facts = [element instanceof MediaElementAudioSourceNode, element.mediaElement === audio,
        element.numberOfInputs,
        made instanceof MediaElementAudioSourceNode, made.mediaElement instanceof Audio,
          stream.stream instanceof MediaStream];
    </script>]], function(open)
      t.equal(value(open(), "facts"), { true, true, 0, true, true, true })
    end)
  end,
  ["a processor is asked for sound at its pace, as long as it is connected"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      const context = new AudioContext({sampleRate: 32000}), node = context.createScriptProcessor(2048, 0, 1);
      node.onaudioprocess = (event) => log.push([performance.now(), event.playbackTime, event.outputBuffer.length]);
      node.connect(context.destination);
      setTimeout(() => node.disconnect(), 200);
    </script>]], function(open)
      local page = open()
      qa.sleep(150)
      t.equal(#value(page, "log"), 0)
      page:step(30)
      t.equal(value(page, "log"),
        { { 0, 0.064, 2048 }, { 64, 0.128, 2048 }, { 128, 0.192, 2048 }, { 192, 0.256, 2048 } })
    end)
  end,
  ["time waits until a sound is decoded, and until a graph of the page's own is rendered"] = function(t)
    clock_page.with([[<script>
      window.at = null;
      setTimeout(async () => {
        const bytes = await (await fetch('/beep.wav')).arrayBuffer();
        const sound = await new AudioContext().decodeAudioData(bytes);
        const offline = new OfflineAudioContext(1, 44100 * 20, 44100), node = offline.createBufferSource();
        node.buffer = sound;
        node.loop = true;
        node.connect(offline.destination);
        let ended = 0;
        node.onended = () => ++ended;
        node.start();
        node.stop(15);
        const rendered = await offline.startRendering();
        at = [sound.duration, rendered.length, offline.state, offline.currentTime > 19, ended,
          performance.now().toFixed(1)];
      }, 20);
    </script>]], function(open)
      local page = open()
      page:step(3)
      t.equal(value(page, "at"), { 1, 882000, "closed", true, 1, "20.0" })
    end, { ["beep.wav"] = silent_wav })
  end,
}
