-- What time waits for: nothing of it ends between two frames of the game.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

return {
  ["IndexedDB: answers that follow from answers, and the end of a transaction, come in one frame"] = function(t)
    clock_page.with([[<script>
      let frames = 0;
      window.log = [];
      const f = () => { ++frames; requestAnimationFrame(f); };
      requestAnimationFrame(f);
      const opening = indexedDB.open('save');
      opening.onupgradeneeded = () => opening.result.createObjectStore('files');
      opening.onsuccess = () => setTimeout(() => {
        const began = frames, writing = opening.result.transaction('files', 'readwrite');
        const store = writing.objectStore('files');
        for (let i = 0; i < 40; ++i) store.put('x'.repeat(100000), i);
        writing.oncomplete = () => {
          log.push('written ' + (frames - began));
          let count = 0;
          const walk = opening.result.transaction('files').objectStore('files').openCursor();
          walk.onsuccess = ({target: {result: cursor}}) => {
            if (cursor) ++count, cursor.continue();
            else log.push(count + ' read ' + (frames - began));
          };
        };
      }, 100);
    </script>]], function(open)
      local page = open()
      page:step(60)
      t.equal(value(page, "log"), { "written 0", "40 read 0" })
    end)
  end,
}
