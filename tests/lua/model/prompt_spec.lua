-- Prompts are files; what is filled in, and what they must ask for.
local prompt = require "qa.model.prompt"

return {
  ["C-055: the prompt for a start asks for exact pixels from the top left corner, with a worked example"] = function(t)
    local text = prompt.load "find_start"
    for _, words in ipairs{ "exact pixels", "%(0,0%)", "centre of the element", "x 150, y 60" } do
      t.truthy(text:find(words), words)
    end
  end,

  ["names are filled in, and what nobody knows is refused"] = function(t)
    local text, identity = prompt.render("find_target", { phrase = "click 100% start", clickables = "(nothing)" })
    t.truthy(text:find("click 100% start", 1, true))
    t.equal(#identity.sha256, 64)
    t.raises(function() prompt.render("find_target", { phrase = "x" }) end, "nothing is known for {{clickables}}")
    t.raises(function() prompt.load "no_such" end, "prompt 'no_such' not found")
  end,

  ["P-02: an answer that repeats its prompt is noticed, short and common words are not"] = function(t)
    local text = "Example: the menu is slightly misaligned on small screens. Be brief."
    t.equal(prompt.quoted(text, { "The  menu is slightly misaligned on small screens" }),
      "The  menu is slightly misaligned on small screens")
    t.equal(prompt.quoted(text, { "Be brief.", "The menu is fine." }), nil)
  end,
}
