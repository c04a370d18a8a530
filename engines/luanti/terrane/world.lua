-- Which world the map is of. What the first answer said stays with the map, in terrane.json: the same seed, recipe, generator, level
-- and centre for ever, whatever minetest.conf says later, and nothing is made of a server that has another world by now.
local function escape(text)
	return (text:gsub("[^%w%-_.~]", function(c) return ("%%%02X"):format(c:byte()) end))
end

local function is_number(value)
	return type(value) == "number" and value == value and math.abs(value) < 2 ^ 50
end

return function(line, settings)
	local file = minetest.get_worldpath() .. "/terrane.json"
	local world = {known = nil, query = nil}
	local asked

	local kept = io.open(file)
	if kept then
		local text = kept:read("*a")
		kept:close()
		kept = minetest.parse_json(text)
		assert(type(kept) == "table" and kept.seed and kept.generator, "terrane: " .. file .. " is broken; restore it, or begin another map")
	end
	local want = kept or settings
	local recipe = want.recipe ~= "" and "&recipe=" .. escape(want.recipe) or ""
	local path = "/world/" .. escape(want.seed) .. "?" .. (kept and "v=" .. kept.generator or "") .. recipe

	local function center(told)
		local x, y = settings.center:match("^%s*(%-?[%d.]+)%s*,%s*(%-?[%d.]+)%s*$")
		x, y = tonumber(x), tonumber(y)
		return x or told.spawn.x, y or told.spawn.y
	end

	local function check(told)
		local bounds, spawn = told.height_bounds_m, told.spawn
		if not (is_number(told.generator) and is_number(told.spacing_m) and is_number(told.sea_m) and type(bounds) == "table" and is_number(bounds.low) and is_number(bounds.high)
			and type(spawn) == "table" and is_number(spawn.x) and is_number(spawn.y) and type(told.world) == "string") then
			return "/world says nothing of use"
		end
	end

	local function adopt(told)
		local spacing = told.spacing_m * 2 ^ settings.lod
		local x, y = center(told)
		return {seed = settings.seed, recipe = settings.recipe, generator = told.generator, world = told.world, lod = settings.lod,
			up_m = settings.up_m > 0 and settings.up_m or spacing, x = math.floor(x / spacing), y = math.floor(y / spacing), sea_m = told.sea_m,
			at = type(told.edits) == "table" and told.edits.count or nil, epoch = type(told.edits) == "table" and told.edits.epoch or nil}
	end

	local function take(data)
		local told = minetest.parse_json(data)
		local fault = type(told) ~= "table" and "/world is no JSON" or check(told)
		if fault then
			return fault
		end
		if kept and kept.world ~= told.world then
			return "the server has another world than this map is of (" .. told.world .. ", not " .. kept.world .. ")"
		end
		if kept and kept.epoch and kept.epoch ~= (type(told.edits) == "table" and told.edits.epoch) then
			return "the world was made anew since this map began, so what it was like then is gone"
		end
		local known = kept or adopt(told)
		local low = math.floor((told.height_bounds_m.low - known.sea_m) / known.up_m)
		local high = math.ceil((told.height_bounds_m.high - known.sea_m) / known.up_m)
		if low < -30900 or high > 30900 then
			return "the world is " .. high - low .. " nodes high, and a map can have 61800: set terrane_up_m"
		end
		if not kept then
			minetest.safe_file_write(file, minetest.write_json(known, true))
			kept = known
		end
		world.low, world.high = low, math.max(high, 0)
		world.cover = type(told.cover) == "table" and (told.cover.materials or told.cover) or {}
		world.rivers = settings.rivers and type(told.rivers) == "table"
		world.query = recipe .. "&v=" .. known.generator .. (known.at and "&at=" .. known.at or "") .. (known.epoch and "&epoch=" .. known.epoch or "")
		world.seed = escape(known.seed)
		world.spacing_m = told.spacing_m
		world.known = known
		for _, each in ipairs(world.listeners) do
			each()
		end
	end
	world.listeners = {}

	function world.poll()
		if not world.known and not asked and line.may_ask() then
			asked = true
			line.ask(path, nil, take, function() asked = nil end)
		end
	end

	return world
end
