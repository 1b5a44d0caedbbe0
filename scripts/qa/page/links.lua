--- Links: which of them lead to another page or site.
local M = {}

local function site_of(url) return url:match("^https?://[^/?#]+") end

---Does this link lead to a page of the same site?
---@param item table of page:clickables
---@param url string of the page
---@return boolean
function M.is_of_site(item, url) return site_of(item.link or "") ~= nil and site_of(item.link) == site_of(url) end

---Is this a link to another page? That is part neither of starting a game nor of playing it.
---@param item table of page:clickables
---@param url string of the page
---@return boolean
function M.leads_away(item, url)
  -- What lies in a link to another site, as a picture does.
  if site_of(item.link or "") and not M.is_of_site(item, url) then return true end
  local href = item.href
  if item.tag ~= "a" or type(href) ~= "string" or href == "" or href:match("^#") or href:match("^javascript:") then
    return false
  end
  return href:gsub("#.*$", "") ~= url:gsub("#.*$", "")
end

return M
