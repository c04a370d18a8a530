-- Tiles of 256 x 256 samples as the server sent them, fetched in batches (POST /tiles).
local SIDE, BATCH = 256, 240
local SPARE = 4 -- tiles that stay free for a chunk
local LAYERS = {
	height = {"f32?layer=height", 4},
	surface = {"f32?layer=surface", 4},
	river = {"f32?layer=river", 4},
	cover0 = {"rgba8?layer=cover&bands=0", 4},
	cover1 = {"rgba8?layer=cover&bands=1", 4},
}

local function u32(data, at)
	local a, b, c, d = data:byte(at, at + 3)
	return d and a + 256 * (b + 256 * (c + 256 * d))
end

return function(line, world, settings)
	local tiles = {}
	local have, count, flying, clock = {}, 0, {}, 0

	local function key(x, y)
		return ("%.0f/%.0f"):format(x, y)
	end

	local function layers()
		local names = {"height", "surface"}
		if #world.cover > 0 then
			names[#names + 1] = "cover0"
		end
		if #world.cover > 4 then
			names[#names + 1] = "cover1"
		end
		if world.rivers then
			names[#names + 1] = "river"
		end
		return names
	end

	-- Of a tile of the world's level: its layers as bytes, or nil.
	function tiles.get(x, y)
		local tile = have[key(x, y)]
		if tile then
			clock = clock + 1
			tile.used = clock
		end
		return tile
	end

	function tiles.drop(x, y)
		if have[key(x, y)] then
			have[key(x, y)], count = nil, count - 1
		end
	end

	local function keep(name, tile)
		clock = clock + 1
		tile.used = clock
		have[name], count = tile, count + 1
		while count > settings.tiles do
			local oldest
			for each, other in pairs(have) do
				if not oldest or other.used < have[oldest].used then
					oldest = each
				end
			end
			have[oldest], count = nil, count - 1
		end
	end

	-- The frames of an answer: which path, a status, and as many bytes as it says. What was cut off is not there. Its last fault.
	local function frames(data, wanted, take)
		local at, fault = 1, nil
		while true do
			local index, status, bytes = u32(data, at), u32(data, at + 4), u32(data, at + 8)
			if not bytes or at + 11 + bytes > #data then
				return "an answer that was cut off"
			elseif index == 0xFFFFFFFF then
				return fault
			elseif not wanted[index + 1] then
				return "an answer to something else"
			end
			fault = take(wanted[index + 1], status, data:sub(at + 12, at + 11 + bytes)) or fault
			at = at + 12 + bytes
		end
	end

	local function ask(list)
		local wanted, paths, made = {}, {}, {}
		local names = layers()
		for _, place in ipairs(list) do
			local name = key(place.x, place.y)
			flying[name], made[name] = true, {left = #names}
			for _, layer in ipairs(names) do
				wanted[#wanted + 1] = {name = name, layer = layer}
				paths[#paths + 1] = ("/tile/%s/%d/%s.%s&size=%d%s"):format(world.seed, world.known.lod, name, LAYERS[layer][1], SIDE, world.query)
			end
		end
		local function take(each, status, bytes)
			if status ~= 200 then
				local problem = minetest.parse_json(bytes)
				return status .. " " .. (type(problem) == "table" and tostring(problem.detail or problem.title or "") or "")
			elseif #bytes ~= LAYERS[each.layer][2] * SIDE * SIDE then
				return "a tile of another size"
			end
			local tile = made[each.name]
			tile[each.layer], tile.left = bytes, tile.left - 1
			if tile.left == 0 then
				keep(each.name, tile)
			end
		end
		line.ask("/tiles", minetest.write_json({tiles = paths}), function(data) return frames(data, wanted, take) end, function()
			for name in pairs(made) do
				flying[name] = nil
			end
		end)
	end

	-- Asks for those of a list that are not here nor on their way, the first first.
	function tiles.want(list)
		if not world.known or not line.may_ask() then
			return
		end
		local missing = {}
		for _, place in ipairs(list) do
			local name = key(place.x, place.y)
			if not have[name] and not flying[name] and math.max(math.abs(place.x), math.abs(place.y)) < 2 ^ 40 then
				missing[#missing + 1] = place
				flying[name] = true
			end
			if #missing * #layers() + 5 > BATCH then
				break
			end
		end
		if #missing > 0 then
			ask(missing)
		end
	end

	-- Asks for as much of a list as may be kept: more would drive out the first, which would be asked for again. What is here counts as used, the first last.
	function tiles.ahead(list)
		local first, seen = {}, {}
		for _, place in ipairs(list) do
			local name = key(place.x, place.y)
			if not seen[name] and #first < settings.tiles - SPARE then
				seen[name] = true
				first[#first + 1] = place
			end
		end
		for k = #first, 1, -1 do
			tiles.get(first[k].x, first[k].y)
		end
		tiles.want(first)
	end

	-- The tiles under nodes: x0 .. x1, z0 .. z1.
	function tiles.under(x0, x1, z0, z1)
		local known, list = world.known, {}
		for y = math.floor((known.y - z1) / SIDE), math.floor((known.y - z0) / SIDE) do
			for x = math.floor((known.x + x0) / SIDE), math.floor((known.x + x1) / SIDE) do
				list[#list + 1] = {x = x, y = y}
			end
		end
		return list
	end

	function tiles.are_here(list)
		for _, place in ipairs(list) do
			if not tiles.get(place.x, place.y) then
				return false
			end
		end
		return true
	end

	return tiles
end
