-- Messages and tasks belong to frames, in one order.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

return {
  ["messages and tasks wait while the page is frozen, and come between timers"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      const {port1, port2} = new MessageChannel();
      port1.onmessage = ({data}) => log.push('port ' + data);
      const radio = new BroadcastChannel('radio'), other = new BroadcastChannel('radio');
      other.onmessage = ({data}) => log.push('radio ' + data);
      addEventListener('message', ({data, source,
        origin}) => log.push('window ' + data + (source === window) + (origin === location.origin)));
      setTimeout(() => { log.push('timer 1'); postMessage('a', '*'); port2.postMessage('b'); radio.postMessage('c');
        scheduler.postTask(() => log.push('background'), {priority: 'background'});
        scheduler.postTask(() => log.push('visible')); scheduler.postTask(() => log.push('blocking'),
          {priority: 'user-blocking'}); }, 1);
      setTimeout(() => log.push('timer 2'), 2);
      scheduler.postTask(() => log.push('late ' + performance.now()), {delay: 5});
      postMessage('first', '*');
    </script>]], function(open)
      local page, twin = open(), open()
      value(page, "fetch('/index.html').then(r => r.text())")
      t.equal(#value(page, "log"), 0)
      page:step(1)
      twin:step(1)
      local log = value(page, "log")
      t.equal(log, value(twin, "log"))
      t.equal(log[1], "window firsttruetrue")
      t.equal(log[2], "timer 1")
      local late, found = table.concat(log, " "), {}
      for _, word in ipairs{ "window atruetrue", "port b", "radio c", "blocking", "visible", "background" } do
        found[#found + 1] = late:find(word, 1, true) < late:find("timer 2", 1, true)
      end
      t.equal(found, { true, true, true, true, true, true })
      t.truthy(late:find("blocking", 1, true) < late:find("visible", 1, true))
      t.truthy(late:find("visible", 1, true) < late:find("background", 1, true))
      t.equal(log[#log], "late 5")
    end)
  end,
  ["a loop of messages neither runs in a frozen page nor holds up a frame"] = function(t)
    clock_page.with([[<script>
      let turns = 0, frames = 0;
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => { ++turns; port2.postMessage(0); };
      port2.postMessage(0);
      const f = () => { ++frames; requestAnimationFrame(f); }; f();
    </script>]], function(open)
      local page = open()
      value(page, "fetch('/index.html').then(r => r.text())")
      t.equal(value(page, "turns"), 0)
      page:step(3)
      t.equal(value(page, "turns"), 3000)
      t.equal(value(page, "frames"), 4)
    end)
  end,
  ["ports that travel are caught, too, and a task can be given up"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      onmessage = ({ports}) => { ports[0].onmessage = ({data}) => log.push(data + ' ' + performance.now().toFixed(1));
        };
      const {port1, port2} = new MessageChannel();
      postMessage('here', '*', [port1]);
      port2.postMessage('sent');
      const giving_up = new TaskController();
      scheduler.postTask(() => log.push('never'), {signal: giving_up.signal}).catch((why) => log.push(why.name));
      giving_up.abort();
      (async () => { await scheduler.yield(); log.push('yielded'); })();
    </script>]], function(open)
      local page = open()
      page:step(1)
      t.equal(value(page, "log.sort()"), { "AbortError", "sent 0.0", "yielded" })
    end)
  end,
}
