-- Audio and video elements in game time: loading, playing, what they tell, the pictures of videos.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value
local silent_wav = require("qa").load_chunk("tests/lua/support/silent_wav.lua")()
local colours_webm = "data:video/webm;base64," .. require("qa").load_chunk("tests/lua/support/colours_webm.lua")()

local files = { ["beep.wav"] = silent_wav }

-- note(what) writes down the time of the game; told(element, name?) all that an element tells of playing.
local noting = [[<script>
  window.log = [];
  const note = (what) => log.push(what + '@' + Math.round(performance.now()));
  const told = (element, name = '') => {
    for (const type of 'play playing waiting pause ended timeupdate seeking seeked ratechange volumechange'.split(' '))
      element.addEventListener(type, () =>
        note(name + type + (type === 'timeupdate' ? ' ' + element.currentTime.toFixed(2) : '')));
    return element;
  };
</script>]]

local function joined(page, js) return table.concat(value(page, js or "log"), ", ") end

local function like(t, text, pattern) t.truthy(tostring(text):find(pattern), tostring(text)) end

---Pages of `html` by `open`, stepped in different portions; their log, which must be the same.
local function log_of(t, open, frames)
  local page, twin = open(), open()
  page:step(frames)
  for _ = 1, frames / 5 do twin:step(5) end
  local log = joined(page)
  t.equal(joined(twin), log)
  return log
end

return {
  ["a sound plays, tells of it and ends in game time"] = function(t)
    clock_page.with(noting .. [[<script>
      const sound = told(new Audio('/beep.wav'));
      setTimeout(() => sound.play().then(() => note('played')), 100);
      setTimeout(() => note([sound.paused, sound.ended, sound.currentTime.toFixed(2)].join()), 400);
      setTimeout(() => note([sound.paused, sound.ended, sound.currentTime.toFixed(2)].join()), 1200);
    </script>]], function(open)
      local page = open()
      qa.sleep(300)
      t.equal(value(page, "[log.length, sound.readyState, sound.duration, sound.paused]"), { 0, 4, 1, true })
      t.equal(log_of(t, open, 90), "play@100, playing@100, played@100, timeupdate 0.25@350, false,false,0.30@400, "
        .. "timeupdate 0.50@600, timeupdate 0.75@850, timeupdate 1.00@1100, pause@1100, ended@1100, "
        .. "true,true,1.00@1200")
    end, files)
  end,
  ["pauses, seeks, rates and volumes of the page are kept"] = function(t)
    clock_page.with(noting .. [[<script>
      const sound = told(new Audio('/beep.wav'));
      sound.play();
      setTimeout(() => sound.pause(), 100);
      setTimeout(() => { sound.currentTime = 0.6; note([sound.seeking, sound.currentTime]); }, 200);
      setTimeout(() => { note([sound.seeking, sound.currentTime]); sound.playbackRate = 0.5; sound.play(); }, 300);
      setTimeout(() => { sound.volume = 0.5; sound.volume = 0.5; sound.muted = true; }, 400);
      setTimeout(() => { sound.currentTime = 50; note(sound.currentTime); }, 500);
    </script>]], function(open)
      t.equal(log_of(t, open, 60), "play@0, waiting@0, playing@0, timeupdate 0.10@100, pause@100, true,0.6@200, "
        .. "seeking@200, timeupdate 0.60@200, seeked@200, false,0.6@300, ratechange@300, play@300, playing@300, "
        .. "volumechange@400, volumechange@400, 1@500, seeking@500, waiting@500, timeupdate 1.00@500, seeked@500, "
        .. "playing@500, timeupdate 1.00@500, pause@500, ended@500")
    end, files)
  end,
  ["a loop goes round, and each round is told as a seek"] = function(t)
    clock_page.with(noting .. [[<script>
      const sound = told(new Audio('/beep.wav'));
      sound.loop = true;
      sound.playbackRate = 4;
      setTimeout(() => sound.play(), 100);
      setTimeout(() => { note(sound.currentTime.toFixed(2)); sound.loop = false; }, 400);
    </script>]], function(open)
      t.equal(log_of(t, open, 60), "ratechange@0, play@100, playing@100, seeking@350, waiting@350, "
        .. "timeupdate 0.00@350, seeked@350, playing@350, 0.20@400, timeupdate 1.00@600, pause@600, ended@600")
    end, files)
  end,
  ["a sound whose source comes after play() plays, and nothing is interrupted"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      const sound = document.createElement('audio'), source = document.createElement('source');
      sound.onplaying = () => log.push('playing');
      source.src = 'beep.wav';
      sound.append(source);
      sound.play().then(() => log.push('played'), (why) => log.push(why.name));
    </script>]], function(open)
      local page = open()
      page:step(10)
      t.equal(value(page, "log"), { "playing", "played" })
      t.equal(page:health().counts.exception or 0, 0)
    end, { ["beep.wav"] = silent_wav })
  end,
  ["promises of play() are kept, broken by pauses and loads, and refused without a source"] = function(t)
    clock_page.with(noting .. [[<script>
      const asked = (name, sound) =>
        sound.play().then(() => note(name + ' played'), (error) => note(name + ' ' + error.name));
      setTimeout(() => {
        const [paused, reloaded, gone, fine] = ['beep', 'beep', 'none',
          'beep'].map((name) => new Audio(`/${name}.wav`));
        asked('paused', paused);
        paused.pause();
        asked('reloaded', reloaded);
        reloaded.src = '/beep.wav?2';
        asked('again', reloaded);
        asked('gone', gone);
        asked('fine', fine);
        asked('empty', new Audio());
        setTimeout(() => asked('still gone', gone), 100);
        setTimeout(() => { asked('ready', fine); fine.pause(); }, 100);
      }, 20);
    </script>]], function(open)
      t.equal(log_of(t, open, 20), "paused AbortError@20, reloaded AbortError@20, "
        .. "gone NotSupportedError@33, fine played@33, again played@33, "
        .. "still gone NotSupportedError@120, ready played@120")
    end, files)
  end,
  ["time waits until a sound can play, however it got its source"] = function(t)
    clock_page.with([[
      <audio id="parsed" src="/beep.wav?0"></audio>
      <audio id="parsed_source"><source src="/beep.wav?1"></audio><script>
      window.ready = null;
      const sounds = [parsed, parsed_source];
      const made = (set) => { const sound = document.createElement('audio'); sounds.push(sound); set(sound); };
      setTimeout(() => {
        sounds.push(new Audio('/beep.wav?2'));
        made((sound) => { sound.src = '/beep.wav?3'; });
        made((sound) => sound.setAttribute('src', '/beep.wav?4'));
        made((sound) => { sound.preload = 'metadata'; sound.src = '/beep.wav?5'; });
        made((sound) => {
          const source = document.createElement('source');
          source.src = '/beep.wav?6';
          sound.append(source);
        });
        const div = document.createElement('div');
        document.body.append(div);
        div.innerHTML = '<audio src="/beep.wav?7" preload="metadata"></audio>';
        sounds.push(div.firstChild, parsed.cloneNode());
        made((sound) => { sound.src = '/none.wav'; });
        requestAnimationFrame(() => requestAnimationFrame(() => {
          ready = sounds.map((sound) => sound.readyState).join('');
        }));
      }, 20);
    </script>]], function(open)
      local page = open()
      t.equal(value(page, "sounds.map((sound) => sound.readyState).join('')"), "44")
      page:step(4)
      t.equal(value(page, "ready"), "4444444440")
      t.equal(value(page, "[...[0, 5, 2].map((i) => sounds[i].preload), String(Audio), new Audio() instanceof Audio]"),
        { "metadata", "metadata", "auto", "function Audio() { [native code] }", true })
    end, files)
  end,
  ["what is told of loading comes with the next frame, one element after the other"] = function(t)
    clock_page.with(noting .. [[<script>
      const loads = (name, file) => {
        const sound = document.createElement('audio');
        for (const type of ['loadstart', 'loadedmetadata', 'progress', 'canplay', 'canplaythrough', 'error'])
          sound.addEventListener(type, () => note(name + ' ' + type + ' ' + sound.readyState));
        sound.setAttribute('src', file);
        return sound;
      };
      setTimeout(() => {
        const first = loads('first', '/beep.wav');
        loads('second', '/none.wav');
        loads('third', '/beep.wav');
        setTimeout(() => note([first.readyState, first.duration].join()), 5);
        setTimeout(() => { first.currentTime = 0.5; first.play(); first.setAttribute('src', '/beep.wav?2'); }, 25);
        setTimeout(() => note([first.paused, first.currentTime].join()), 26);
      }, 5);
    </script>]], function(open)
      t.equal(log_of(t, open, 5), "0,NaN@10, first loadstart 4@17, first loadedmetadata 4@17, first progress 4@17, "
        .. "first canplay 4@17, first canplaythrough 4@17, second loadstart 0@17, second error 0@17, "
        .. "third loadstart 4@17, third loadedmetadata 4@17, third progress 4@17, third canplay 4@17, "
        .. "third canplaythrough 4@17, true,0@31, first loadstart 4@33, first loadedmetadata 4@33, "
        .. "first progress 4@33, first canplay 4@33, first canplaythrough 4@33")
    end, files)
  end,
  ["what plays by itself does so with the first frame, and not before"] = function(t)
    clock_page.with(noting .. [[<audio id="first" src="/beep.wav" autoplay></audio><script>
      told(first, 'first ');
      const second = told(new Audio(), 'second ');
      second.autoplay = true;
      second.src = '/beep.wav';
      const third = told(new Audio('/beep.wav'), 'third ');
      setTimeout(() => third.setAttribute('autoplay', ''), 100);
    </script>]], function(open)
      local page = open()
      qa.sleep(500)
      t.equal(value(page, "[log.length, first.paused, second.paused]"), { 0, true, true })
      t.equal(log_of(t, open, 10), "second play@0, second playing@0, first play@0, first playing@0, third play@100, "
        .. "third playing@100")
    end, files)
  end,
  ["the picture of a video follows game time, and is the same in two worlds"] = function(t)
    clock_page.with([[<video id="film" muted loop width="320" height="180"
      src="]] .. colours_webm .. [["></video><script>
      setTimeout(() => film.play(), 0);
    </script>]], function(open)
      local page, twin = open(), open()
      for second = 1, 3 do
        page:step(60)
        for _ = 1, 4 do twin:step(15) end
        local before = assert(page:screenshot())
        t.equal(before:diff(assert(twin:screenshot())).changed_pixels, 0)
        qa.sleep(150)
        t.equal(before:diff(assert(page:screenshot())).changed_pixels, 0)
        -- Half a turn of the colours in a second: red, then cyan.
        page:step(30)
        twin:step(30)
        local after = assert(page:screenshot())
        t.equal(after:diff(assert(twin:screenshot())).changed_pixels, 0)
        t.truthy(before:diff(after).changed_pixels > 320 * 170, second)
      end
    end)
  end,
  ["a video that the page draws itself shows each frame its time"] = function(t)
    clock_page.with([[<canvas id="canvas" width="1" height="1"></canvas><script>
      window.seen = [];
      const film = document.createElement('video'), context = canvas.getContext('2d');
      film.muted = film.loop = true;
      film.src = ']] .. colours_webm .. [[';
      film.play();
      const draw = () => {
        context.drawImage(film, 0, 0, 1, 1);
        seen.push([film.currentTime.toFixed(2), ...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(' '));
        requestAnimationFrame(draw);
      };
      film.addEventListener('playing', () => requestAnimationFrame(draw), {once: true});
    </script>]], function(open)
      local page, twin = open{ frame_ms = 50 }, open{ frame_ms = 50 }
      page:step(45)
      for _ = 1, 9 do twin:step(5) end
      local seen = value(page, "seen")
      t.equal(seen, value(twin, "seen"))
      -- As many colours as quarters of a second.
      local expected = { "0.10 247 0 0", "0.20 247 0 0", "0.25 255 57 0", "0.30 255 57 0", "0.95 255 255 0",
        "1.95 10 255 23", "0.00 247 0 0", "0.20 247 0 0" }
      for i, at in ipairs{ 2, 4, 5, 6, 19, 39, 40, 44 } do t.equal(seen[at], expected[i]) end
    end)
  end,
  ["a video that is sought tells so when its picture is there"] = function(t)
    clock_page.with([[<video id="film" muted src="]] .. colours_webm .. [["></video>
      <canvas id="canvas"></canvas><script>
      window.seen = null;
      film.onseeked = () => {
        const context = canvas.getContext('2d');
        context.drawImage(film, 0, 0, 1, 1);
        seen = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join() + '@' + performance.now().toFixed(0);
      };
      setTimeout(() => { film.currentTime = 1.1; }, 20);
    </script>]], function(open)
      local page = open()
      page:step(4)
      like(t, value(page, "seen"), "^%d+,255,%d+@33$")
    end)
  end,
}
