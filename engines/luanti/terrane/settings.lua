-- What minetest.conf says (settingtypes.txt).
local function text(name, other)
	local value = minetest.settings:get("terrane_" .. name)
	return value ~= nil and value:trim() ~= "" and value:trim() or other
end

local function number(name, other, low, high)
	local value = tonumber(text(name)) or other
	return value == value and math.min(math.max(value, low), high) or other
end

return {
	url = text("url", "http://127.0.0.1:8080"):gsub("/+$", ""),
	seed = text("seed", "42"),
	recipe = text("recipe", ""),
	lod = math.floor(number("lod", 0, 0, 12)),
	up_m = number("up_m", 0, 0, 4096),
	center = text("center", "spawn"),
	nodes = text("nodes", ""),
	rivers = minetest.settings:get_bool("terrane_rivers", true),
	key = text("key"),
	wait_us = 1e6 * number("wait_s", 2, 0, 10),
	ahead = math.floor(number("ahead", 512, 128, 2048)),
	tiles = math.floor(number("tiles", 64, 16, 512)),
}
